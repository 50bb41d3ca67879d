// Answers after WORK thousand steps of its thread, and does LATER (a share) of them once more DELAY_MS after the answer. Under
// continuous load an answer costs 1 + LATER times its work; in turns that are no longer than DELAY_MS the rest falls into the turns of others.
import { createServer } from 'node:http';

const { PORT = '0', WORK = '1000', LATER = '0.3', DELAY_MS = '200' } = process.env;
const [steps, laterSteps] = [Number(WORK), Number(WORK) * Number(LATER)];
if (!Number.isFinite(laterSteps)) throw new Error('WORK and LATER have to be numbers');

let last = 1;
/** Keeps the thread busy with so many thousand steps: 1,000 take about a millisecond. */
function work(thousands) {
  let x = last;
  for (let i = 0; i < 1000 * thousands; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
  last = x;
}

const server = createServer((request, response) => {
  if (request.url === '/health') {
    response.end('ok');
    return;
  }
  work(steps);
  response.end('ok');
  if (laterSteps > 0) setTimeout(() => work(laterSteps), Number(DELAY_MS));
});
server.keepAliveTimeout = 72_000;
server.listen(Number(PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
