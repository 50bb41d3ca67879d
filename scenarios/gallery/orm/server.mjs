// The same three requests, with whichever library STORE names.
import { createServer } from 'node:http';

const { open } = await import(`./stores/${process.env.STORE}.mjs`);
const store = await open({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_MAX) });

const server = createServer(async (request, response) => {
  try {
    const [, what, id] = request.url.split('/');
    if (what === 'health') return response.end('ok');
    if (request.method === 'POST') {
      let text = '';
      for await (const chunk of request) text += chunk;
      const { title, body } = JSON.parse(text);
      return send(response, 201, await store.addPost(Number(id), title, body));
    }
    return send(response, 200, await (what === 'posts' ? store.post(Number(id)) : store.postsOf(Number(id))));
  } catch (error) {
    console.error(error);
    return send(response, 500, { error: String(error) });
  }
});

function send(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close(() => store.close());
  server.closeAllConnections();
});
