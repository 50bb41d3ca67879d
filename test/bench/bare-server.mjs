// A server that does nothing but answer, in a process of its own: `fast` at once, `slow` after exactly 50 ms.
import Fastify from 'fastify';

const DELAY_MS = 50;
const app = Fastify();
app.get('/fast', async () => ({ hello: 'world' }));
app.get('/slow', (_request, reply) => {
  const due = performance.now() + DELAY_MS;
  // A timer alone fires up to 2 ms late, which would be measured: it wakes early and the rest is waited for turn by turn.
  const wait = () => (performance.now() >= due ? reply.send({ hello: 'world' }) : setImmediate(wait));
  setTimeout(wait, DELAY_MS - 5);
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: app.server.address().port });
process.on('disconnect', () => process.exit(0));
