// Stands before the service at API_URL. It keeps its connections to it open, or opens one for each request (KEEP_ALIVE=off).
import { Agent, createServer, request } from 'node:http';

const agent = new Agent({ keepAlive: process.env.KEEP_ALIVE !== 'off' });

/** What a head line says of one connection is no affair of the other. */
function passedOn({ connection, 'keep-alive': _, ...headers }) {
  return headers;
}

const server = createServer((asked, answer) => {
  const { method, url, headers } = asked;
  const passed = request(process.env.API_URL + url, { method, headers: passedOn(headers), agent }, (found) => {
    answer.writeHead(found.statusCode, passedOn(found.headers));
    found.pipe(answer);
  });
  passed.on('error', (error) => answer.writeHead(502).end(error.message));
  asked.pipe(passed);
});
server.listen(Number(process.env.PORT), '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(() => agent.destroy());
  server.closeIdleConnections();
});
