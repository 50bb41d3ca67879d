// GET /hash/10 reads 10 fields of a hash, each with a statement of its own, as an application that uses a store of keys and
// values does. CLIENT names the client library: a release of pg, each an alias in package.json.
import { createServer } from 'node:http';

const { default: pg } = await import(process.env.CLIENT ?? 'pg');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

async function answer(request, response) {
  if (request.url === '/health') return response.end('ok');
  const fields = Number(/^\/hash\/(\d+)$/.exec(request.url)?.[1]);
  if (Number.isNaN(fields)) return response.writeHead(404).end();
  const reads = Array.from({ length: fields }, (_, field) =>
    pool.query('SELECT value FROM hash WHERE field = $1', [field]),
  );
  const found = (await Promise.all(reads)).filter(({ rows }) => rows.length === 1);
  response.end(String(found.length));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(error.message));
});
server.listen(Number(process.env.PORT), '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(() => pool.end());
  server.closeIdleConnections();
});
