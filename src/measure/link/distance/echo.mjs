// Sends back what it gets. It is JavaScript, so that the thread need not load TypeScript.
import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.pipe(socket);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
