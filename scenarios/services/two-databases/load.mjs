// Fills the database of server.mjs: that of DATABASE_URL, or with STORE=mariadb a new one on the server of MARIADB_URL in
// place of what is there under the name of PGSWEEP_ARM. The same rows in both.
import mysql from 'mysql2/promise';
import pg from 'pg';
import { databaseUrl } from './store.mjs';

const USERS = 500;
const POSTS = 10_000;
const CHANNELS = 100;
const BATCH = 1000;

const schema = [
  'CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(64) NOT NULL)',
  'CREATE TABLE posts (id BIGINT PRIMARY KEY, channel_id INT NOT NULL, user_id INT NOT NULL, message VARCHAR(500) NOT NULL)',
];
const index = 'CREATE INDEX posts_of_channel ON posts (channel_id, id)';

/** Spread evenly and looking like nothing in particular: 7919 is a prime. */
function* rows() {
  for (let id = 1; id <= USERS; id++) yield ['users', `(${id}, 'user ${id}')`];
  for (let id = 1; id <= POSTS; id++) {
    const user = ((id * 7919) % USERS) + 1;
    yield ['posts', `(${id}, ${(id % CHANNELS) + 1}, ${user}, 'message ${id} ${'of some length '.repeat(id % 5)}')`];
  }
}

function* statements() {
  yield* schema;
  let [open, values] = ['', []];
  const insert = () => `INSERT INTO ${open} VALUES ${values.join(', ')}`;
  for (const [table, row] of rows()) {
    if (values.length === BATCH || (open !== '' && table !== open)) {
      yield insert();
      values = [];
    }
    open = table;
    values.push(row);
  }
  yield insert();
  yield index;
}

async function fill(run) {
  for (const statement of statements()) await run(statement);
}

const { STORE, DATABASE_URL, MARIADB_URL, PGSWEEP_ARM = 'pgsweep_a0' } = process.env;
if (STORE === 'mariadb') {
  const server = await mysql.createConnection(MARIADB_URL);
  await server.query(`DROP DATABASE IF EXISTS ${server.escapeId(PGSWEEP_ARM)}`);
  await server.query(`CREATE DATABASE ${server.escapeId(PGSWEEP_ARM)}`);
  await server.end();
  const connection = await mysql.createConnection(databaseUrl(MARIADB_URL, PGSWEEP_ARM));
  await fill((statement) => connection.query(statement));
  await connection.query('ANALYZE TABLE users, posts');
  await connection.end();
} else {
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await fill((statement) => client.query(statement));
  await client.query('VACUUM (ANALYZE)');
  await client.end();
}
