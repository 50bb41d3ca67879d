import { sleep } from 'k6';
import http from 'k6/http';

const base = __ENV.BASE_URL || 'http://127.0.0.1:3000';
const headers = { 'content-type': 'application/json' };

export default function () {
  http.get(`${base}/items?limit=10`);
  sleep(1);
  http.post(`${base}/items`, JSON.stringify({ id: __ITER, name: 'a new item' }), { headers });
  http.get(`${base}/items?limit=${Math.ceil(Math.random() * 100)}`);
}
