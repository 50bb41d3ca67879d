// An M/M/c queue: WORKERS that take requests first come, first served, each for an exponential time of MEAN_MS. The queue is
// reckoned and an answer sent at the end of its time, so that a timer that is late makes one answer late and no worker.
import { createServer } from 'node:http';

const meanMs = Number(process.env.MEAN_MS);
const free = new Array(Number(process.env.WORKERS)).fill(0);
const server = createServer((_, response) => {
  const now = performance.now();
  const worker = free.indexOf(Math.min(...free));
  const end = Math.max(now, free[worker]) - meanMs * Math.log(1 - Math.random());
  free[worker] = end;
  const answer = () => {
    const leftMs = end - performance.now();
    // A timer may be a millisecond early.
    if (leftMs > 0) setTimeout(answer, leftMs);
    else response.end('ok');
  };
  answer();
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
