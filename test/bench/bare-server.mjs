// Servers that do nothing but answer, in a process of their own: Fastify at once, and a socket after exactly 50 ms.
import { createServer } from 'node:net';
import Fastify from 'fastify';

const DELAY_MS = 50;
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const fast = Fastify();
fast.get('/', async () => ({ hello: 'world' }));
await fast.listen({ host: '127.0.0.1', port: 0 });

// Below HTTP libraries, and never asleep: a timer or a wake-up that is late would be measured as the client's error.
const waiting = [];
const slow = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => {
    if (waiting.push({ socket, due: performance.now() + DELAY_MS }) === 1) setImmediate(answerDue);
  });
});
function answerDue() {
  while (waiting.length > 0 && performance.now() >= waiting[0].due) waiting.shift().socket.write(ANSWER);
  if (waiting.length > 0) setImmediate(answerDue);
}
slow.listen(0, '127.0.0.1', () => process.send?.({ fast: fast.server.address().port, slow: slow.address().port }));
process.on('disconnect', () => process.exit(0));
