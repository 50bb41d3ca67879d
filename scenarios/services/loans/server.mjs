// A module of a library system: the loans of its users. RELEASE names one of its two releases, LOG_LEVEL is WARNING or INFO, and
// LOANS_PER_USER says how many loans each user has when it starts: it fills its table then, as modules do when they are enabled.
import { createServer } from 'node:http';
import pg from 'pg';

const { RELEASE = '5.6.0', LOG_LEVEL = 'WARNING', LOANS_PER_USER = '10' } = process.env;
const { checkIn, checkOut, loanOf, loansOf } = await import(`./release-${RELEASE}.mjs`);
const USERS = 50;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

function info(message) {
  if (LOG_LEVEL === 'INFO') console.log(`${new Date().toISOString()} INFO ${message}`);
}

async function query(text, values) {
  info(`${text} ${JSON.stringify(values)}`);
  return (await pool.query(text, values)).rows;
}

const fill = `INSERT INTO loans (user_id, item_id, policy_id, due)
  SELECT reader, (reader * 1000 + loan) % 5000 + 1, loan % 3 + 1, current_date + 28
  FROM generate_series(1, ${USERS}) AS reader, generate_series(1, $1::int) AS loan`;

function send(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body && JSON.stringify(body));
}

async function answer(request, response) {
  info(`${request.method} ${request.url}`);
  const { method, url } = request;
  if (url === '/health') return send(response, 200, {});
  const user = /^\/users\/(\d+)\/loans$/.exec(url)?.[1];
  if (method === 'GET' && user !== undefined) return send(response, 200, { loans: await loansOf(query, user) });
  if (method === 'POST' && url === '/loans') {
    const id = await checkOut(query, JSON.parse((await request.toArray()).join('')));
    return send(response, 201, { id }, { location: `/loans/${id}` });
  }
  const id = /^\/loans\/(\d+)$/.exec(url)?.[1];
  if (method === 'GET' && id !== undefined) {
    const loan = await loanOf(query, id);
    return send(response, loan === null ? 404 : 200, loan);
  }
  if (method === 'DELETE' && id !== undefined) return send(response, (await checkIn(query, id)) ? 204 : 404);
  send(response, 404);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => send(response, 500, { error: error.message }));
});

await pool.query(fill, [LOANS_PER_USER]);
await pool.query('ANALYZE loans');
server.listen(Number(process.env.PORT), '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(() => pool.end());
  server.closeIdleConnections();
});
