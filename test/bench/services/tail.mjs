// Waits before it answers: SLOW_SHARE of the requests for SLOW_MS and up to a fifth longer, the others for FAST_MS in the mean.
import { createServer } from 'node:http';

const [slowShare, slowMs, fastMs] = ['SLOW_SHARE', 'SLOW_MS', 'FAST_MS'].map((name) => Number(process.env[name]));
/** Timers know whole milliseconds: the mean is between two of them. */
const fast = () => Math.floor(fastMs + Math.random());
const server = createServer((request, response) => {
  const waitMs = Math.random() < slowShare ? slowMs * (1 + 0.2 * Math.random()) : fast();
  if (request.url === '/health') response.end();
  else setTimeout(() => response.end('ok'), waitMs);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
