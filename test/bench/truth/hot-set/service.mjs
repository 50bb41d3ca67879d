// Reads READS random rows of `hot` by primary key for each answer, after WAIT_MS without work.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const reads = Number(process.env.READS ?? 10);
const waitMs = Number(process.env.WAIT_MS ?? 0);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 5 });
const { rows: sizes } = await pool.query('SELECT max(id) AS most FROM hot');
const { most } = sizes[0];
const server = createServer(async (request, response) => {
  if (request.url === '/health') return response.end('ok');
  if (waitMs > 0) await sleep(waitMs);
  const ids = Array.from({ length: reads }, () => 1 + Math.floor(Math.random() * most));
  const { rows } = await pool.query('SELECT sum(length(payload)) AS sum FROM hot WHERE id = ANY($1)', [ids]);
  response.end(rows[0].sum);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => server.close(() => pool.end().then(() => process.exit(0))).closeIdleConnections());
