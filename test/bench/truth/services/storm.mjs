// Updates three random rows of `pages` for each answer. After every EVERY-th answer it asks for a CHECKPOINT, and waits for none: each
// page is then written in full to the WAL once more, and all of them to the data files.
import pg from 'pg';
import { serve, setting } from './bare.mjs';

const connectionString = process.env.DATABASE_URL;
const every = setting('EVERY', 0);
const pool = new pg.Pool({ connectionString, max: 10 });
const { rows } = await pool.query('SELECT max(id) AS most FROM pages');
const { most } = rows[0];
const checkpoints = new pg.Client({ connectionString });
await checkpoints.connect();
// A server that stops before its clients breaks their connections.
for (const client of [pool, checkpoints]) client.on('error', () => {});

const update = { name: 'update', text: 'UPDATE pages SET n = n + 1 WHERE id = ANY($1)' };
/** Ascending: sessions that lock rows in different orders would wait for each other. */
const ids = () => Array.from({ length: 3 }, () => 1 + Math.floor(Math.random() * most)).sort((a, b) => a - b);
let isRunning = false;
serve(async (number, answer) => {
  if (every > 0 && number % every === 0 && !isRunning) {
    isRunning = true;
    checkpoints.query('CHECKPOINT').then(
      () => (isRunning = false),
      () => {},
    );
  }
  await pool.query({ ...update, values: [ids()] }).then(
    () => answer(),
    () => answer(503),
  );
});
