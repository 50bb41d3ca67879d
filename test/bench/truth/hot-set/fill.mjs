// Fills `hot` with rows of about 1 KB until the table has so many MB: node fill.mjs 24. Seven rows fill a page.
import pg from 'pg';

const rows = Math.ceil((Number(process.argv[2]) * 2 ** 20 * 7) / 8192);
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query('CREATE TABLE hot (id int PRIMARY KEY, payload text NOT NULL)');
await client.query(`INSERT INTO hot SELECT n, repeat('x', 1080) FROM generate_series(1, $1::int) AS n`, [rows]);
await client.query('VACUUM (ANALYZE) hot');
await client.end();
