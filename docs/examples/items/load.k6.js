// What users of the items service do, for k6. pgsweep tells the arm's address in BASE_URL, and how many users there are.
import { check, sleep } from 'k6';
import http from 'k6/http';

const base = __ENV.BASE_URL;
const json = { headers: { 'content-type': 'application/json' } };

export const options = {
  thresholds: { 'http_req_duration{name:list}': ['p(95)<200'] },
};

export default function () {
  const list = http.get(`${base}/items?limit=10`, { tags: { name: 'list' } });
  check(list, { 'ten items': (answer) => answer.json().length === 10 });
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  http.post(`${base}/items`, JSON.stringify({ id, name: `item ${id}` }), { ...json, tags: { name: 'create' } });
  sleep(0.05);
}
