// A service whose best pool is known: POOL_MAX answers are worked on at once, and the time of each makes the rate highest at 12.
// It falls by 4 % to 9 and to 16, by 8 % to 8 and to 18, and by a fifth to 6 and to 24.
import { createServer } from 'node:http';

const pool = Number(process.env.POOL_MAX ?? 10);
const perSecond = 600 * Math.exp(-0.49 * Math.log(pool / 12) ** 2);
const ms = (1000 * pool) / perSecond;
// A timer waits for whole milliseconds and half of one more: of several answers the mean is right.
const wait = () => Math.floor(ms - 0.5 + Math.random());
let free = pool;
const waiting = [];

function begin(answer) {
  setTimeout(() => {
    answer();
    const next = waiting.shift();
    if (next === undefined) free++;
    else begin(next);
  }, wait());
}

createServer((request, response) => {
  if (request.url === '/health') return response.end('ok');
  const answer = () => response.end('{}');
  if (free === 0) return void waiting.push(answer);
  free--;
  begin(answer);
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
