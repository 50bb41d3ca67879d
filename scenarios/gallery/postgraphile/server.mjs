import { createServer } from 'node:http';
import pg from 'pg';
import { postgraphile } from 'postgraphile';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_MAX) });
const answer = postgraphile(pool, 'public', { disableQueryLog: true, dynamicJson: true });
// The schema is made from the tables at the start: ready when a query is answered.
const server = createServer((request, response) => {
  if (request.url === '/health') response.end('ok');
  else answer(request, response);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close(() => pool.end());
  server.closeAllConnections();
});
