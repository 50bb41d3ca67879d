// A service to be measured: items in Postgres, through a pool of POOL_MAX connections.
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_MAX ?? 10) });

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/health') return response.end('ok');
  if (url.pathname !== '/items') return response.writeHead(404).end();
  if (request.method === 'POST') {
    const { id, name } = JSON.parse((await request.toArray()).join(''));
    await pool.query('INSERT INTO items (id, name) VALUES ($1, $2)', [id, name]);
    return response.writeHead(201).end();
  }
  const [name, limit] = [url.searchParams.get('name'), Number(url.searchParams.get('limit') ?? 10)];
  const [which, values] = name === null ? ['ORDER BY id DESC', [limit]] : ['WHERE name = $2', [limit, name]];
  const { rows } = await pool.query(`SELECT id, name FROM items ${which} LIMIT $1`, values);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(error.message));
});
server.listen(Number(process.env.PORT), '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(() => pool.end());
  server.closeIdleConnections();
});
