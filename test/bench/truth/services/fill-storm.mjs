// Fills `pages` with 4,000 rows, two to a page, so that updates stay on theirs.
import pg from 'pg';

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query(
  'CREATE TABLE pages (id int PRIMARY KEY, n int NOT NULL, payload text NOT NULL) WITH (fillfactor = 30)',
);
await client.query(`INSERT INTO pages SELECT n, 0, repeat('x', 1100) FROM generate_series(1, $1::int) AS n`, [4000]);
await client.query('VACUUM (ANALYZE) pages');
await client.end();
