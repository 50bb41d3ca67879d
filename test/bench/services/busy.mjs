// Answers after so much work of its thread: WORK in thousands of steps. What a planted difference is planted in.
import { createServer } from 'node:http';

const steps = 1000 * Number(process.env.WORK);
let x = 1;
const work = () => {
  for (let i = 0; i < steps; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
};
const server = createServer((request, response) => {
  if (request.url !== '/health') work();
  response.end(String(x & 1));
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
