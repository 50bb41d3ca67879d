// Servers that do nothing but answer, in a process of their own: Fastify at once, a socket after exactly 50 ms, and one
// after five different times, which closes every 11th request's connection instead, one whose times are random, and one
// such that answers nothing for 300 ms of every 2 s.
import { createServer } from 'node:net';
import Fastify from 'fastify';

const DELAY_MS = 50;
const DELAYS_MS = [4, 8, 16, 32, 48];
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

const fast = Fastify();
fast.get('/', async () => ({ hello: 'world' }));
await fast.listen({ host: '127.0.0.1', port: 0 });

// Below HTTP libraries, and never asleep: a timer or a wake-up that is late would be measured as the client's error.
const waiting = [];
function answerLater(delayMs, answer) {
  if (waiting.push({ due: performance.now() + delayMs, answer }) === 1) setImmediate(answerDue);
}
function answerDue() {
  const nowMs = performance.now();
  for (let i = waiting.length - 1; i >= 0; i--) if (nowMs >= waiting[i].due) waiting.splice(i, 1)[0].answer();
  if (waiting.length > 0) setImmediate(answerDue);
}
const slow = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => answerLater(DELAY_MS, () => socket.write(ANSWER)));
});
const dropping = createServer({ noDelay: true }, (socket) => {
  let requests = Math.floor(Math.random() * 55);
  socket.on('error', () => {});
  socket.on('data', () => {
    requests++;
    const answer = () => (requests % 11 === 0 ? socket.destroy() : socket.write(ANSWER));
    answerLater(DELAYS_MS[requests % DELAYS_MS.length], answer);
  });
});
/** Exponential beyond a constant part, as a service that queues has them. */
const randomMs = () => 8 - 8 * Math.log(1 - Math.random());
const spread = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => answerLater(randomMs(), () => socket.write(ANSWER)));
});
const STALL_MS = 300;
const PERIOD_MS = 2000;
/** What would be answered in a stall is answered at its end. */
function withStall(delayMs) {
  const intoMs = (performance.now() + delayMs) % PERIOD_MS;
  return intoMs < STALL_MS ? delayMs + STALL_MS - intoMs : delayMs;
}
const stalling = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => answerLater(withStall(randomMs()), () => socket.write(ANSWER)));
});
async function portOf(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}
process.send?.({
  fast: fast.server.address().port,
  slow: await portOf(slow),
  dropping: await portOf(dropping),
  spread: await portOf(spread),
  stalling: await portOf(stalling),
});
process.on('disconnect', () => process.exit(0));
