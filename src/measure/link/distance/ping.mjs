// Measures round trips, a direct one and one through the proxy in turns. It is JavaScript, so that the thread need not
// load TypeScript.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { ports, restMs, firstPairs, firstMs } = workerData;
/** As long as a `SELECT 1`. */
const message = Buffer.alloc(30);

const sockets = ports.map((port) => connect({ host: '127.0.0.1', port, noDelay: true }));
await Promise.all(sockets.map((socket) => once(socket, 'connect')));
for (const socket of sockets)
  socket.on('close', () => {
    throw new Error('the echo was closed');
  });

function tripMs(socket) {
  return new Promise((resolve) => {
    const startMs = performance.now();
    socket.once('data', () => resolve(performance.now() - startMs));
    socket.write(message);
  });
}

const startMs = performance.now();
for (let pairs = 1; ; pairs++) {
  const [near, far] = [await tripMs(sockets[0]), await tripMs(sockets[1])];
  const isSettled = pairs >= firstPairs || performance.now() - startMs > firstMs;
  parentPort.postMessage({ addedMs: far - near, isSettled });
  // At random moments, so that they see of the proxy what other messages see (PASTA: Wolff 1982).
  if (isSettled) await sleep(-restMs * Math.log(1 - Math.random()));
}
