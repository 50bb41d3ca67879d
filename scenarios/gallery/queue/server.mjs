// An order is stored and its mail queued; a worker in the same process "sends" mails. QUEUE says by which queue.
import { createServer } from 'node:http';
import pg from 'pg';

const connectionString = process.env.DATABASE_URL;
const pool = new pg.Pool({ connectionString, max: Number(process.env.POOL_MAX) });
const send = ({ id }) => pool.query('INSERT INTO mails (order_id) VALUES ($1)', [id]);
const { open } = await import(`./queues/${process.env.QUEUE}.mjs`);
const queue = await open({ connectionString, send });

const server = createServer(async (request, response) => {
  try {
    if (request.url === '/health') return response.end('ok');
    let text = '';
    for await (const chunk of request) text += chunk;
    const { id, customer } = JSON.parse(text);
    await pool.query('INSERT INTO orders (id, customer) VALUES ($1, $2)', [id, customer]);
    await queue.add({ id });
    response.writeHead(201).end();
  } catch (error) {
    console.error(error);
    response.writeHead(500).end(String(error));
  }
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close(async () => {
    await queue.close();
    await pool.end();
  });
  server.closeAllConnections();
});
