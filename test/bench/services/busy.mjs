// Answers after so much work of its thread: WORK in thousands of steps, or what PUT /work says. What a planted difference is
// planted in.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

let thousands = Number(process.env.WORK);
/** Before an answer, without work. */
const waitMs = Number(process.env.WAIT_MS ?? 0);
let x = 1;
const work = () => {
  for (let i = 0; i < 1000 * thousands; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
};
const server = createServer(async (request, response) => {
  if (request.url === '/work') {
    let body = '';
    for await (const chunk of request) body += chunk;
    const wanted = request.method === 'PUT' ? JSON.parse(body).thousands : thousands;
    if (!Number.isInteger(wanted)) response.writeHead(400);
    else thousands = wanted;
    response.end(JSON.stringify({ thousands }));
    return;
  }
  if (request.url !== '/health') {
    work();
    if (waitMs > 0) await sleep(waitMs);
  }
  response.end(String(x & 1));
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
