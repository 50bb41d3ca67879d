import pg from 'pg';
import { query } from '../../../../src/measure/stack/common/query.ts';
import type { ProbedDatabase } from '../probed.ts';

const insert = 'INSERT INTO t VALUES ($1, $2)';
const duplicate = 'INSERT INTO t (n, s) VALUES ($1, $2)';
const divide = 'SELECT 1 / $1::int AS divided';
const tooLate = 'SELECT 3';
const lock = 'LOCK TABLE t IN ACCESS EXCLUSIVE MODE NOWAIT';
const role = 'pgsweep_monitored';

/** What the load did, to be found again: by the beginning of the text. */
export const truth = {
  calls: {
    [insert]: 45,
    'SELECT s FROM t WHERE n = ': 10,
    'SELECT pg_sleep(': 3,
    'SELECT count(*) FROM t': 4,
    'SELECT n FROM t WHERE s = $1': 5,
  },
  rows: { [insert]: 45, 'SELECT n FROM t WHERE s = $1': 15 },
  failures: { [duplicate]: ['23505', 7], [divide]: ['22012', 2], [tooLate]: ['25P02', 1] },
  planned: { text: 'SELECT n FROM t WHERE s = $1', plan: 'Seq Scan on t' },
  failingUtility: { text: lock, sqlstate: '55P03', calls: 3, failures: 2 },
  warned: [['BEGIN', '25001']],
  utility: { BEGIN: 6, COMMIT: 2, ROLLBACK: 3 },
} as const;

export const schema = ['CREATE TABLE t (n int PRIMARY KEY, s text)', 'GRANT ALL ON t TO PUBLIC'];

/** The second user; it stays on a server that is not the test's own. */
export async function makeRole(adminUrl: string): Promise<void> {
  const there = await query(adminUrl, 'SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (there.length === 0) await query(adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
}

/** Statements before the slice, so that its lines are there already. */
export async function warmUp(database: ProbedDatabase): Promise<void> {
  const client = await database.client();
  for (let n = 0; n < 3; n++) await client.query(insert, [n, 'warm-up']);
  await client.query('SELECT s FROM t WHERE n = 1');
  await client.query(duplicate, [1, 'there']).catch(() => {});
  await client.query('BEGIN');
  // Fails in the slice: its line is one that had not failed before.
  await client.query(lock);
  await client.query('COMMIT');
}

/** Clients of two users and two applications, failures of each kind, and another database. Each client runs alone. */
export async function load(database: ProbedDatabase, other: ProbedDatabase): Promise<void> {
  const client = await database.client();
  for (let n = 100; n < 140; n++) await client.query(insert, [n, 'x'.repeat(500)]);
  for (let n = 100; n < 110; n++) await client.query(`SELECT s FROM t WHERE n = ${n}`);
  for (let n = 0; n < 3; n++) await client.query('SELECT pg_sleep(0.02)');
  await withClient(database, { application_name: 'another service' }, async (another) => {
    for (let n = 200; n < 205; n++) await another.query(insert, [n, 'of another']);
  });
  await withClient(database, { user: role, password: role }, async (another) => {
    for (let n = 0; n < 4; n++) await another.query('SELECT count(*) FROM t');
  });
  await withClient(database, { options: '-c pg_stat_monitor.pgsm_enable_query_plan=on' }, async (another) => {
    for (let n = 0; n < 5; n++) await another.query('SELECT n FROM t WHERE s = $1', ['warm-up']);
  });
  await failures(client, database);
  const stranger = await other.client();
  for (let n = 0; n < 7; n++) await stranger.query(insert, [n, 'elsewhere']);
}

/** Statements that fail alone and in a transaction, and a lock that is there at the second try. */
async function failures(client: pg.Client, database: ProbedDatabase): Promise<void> {
  for (let n = 0; n < 6; n++) await client.query(duplicate, [1, 'there']).catch(() => {});
  for (let n = 0; n < 2; n++) await client.query(divide, [0]).catch(() => {});
  await client.query('BEGIN');
  await client.query(duplicate, [2, 'there']).catch(() => {});
  await client.query(tooLate).catch(() => {});
  await client.query('ROLLBACK');
  await withClient(database, {}, async (holder) => {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM t');
    for (let n = 0; n < 2; n++) {
      await client.query('BEGIN');
      await client.query(lock).catch(() => {});
      await client.query('ROLLBACK');
    }
    await holder.query('COMMIT');
  });
  await client.query('BEGIN');
  await client.query('BEGIN');
  await client.query(lock);
  await client.query('COMMIT');
}

async function withClient(
  database: ProbedDatabase,
  config: pg.ClientConfig,
  use: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const { host, port, user, password, database: name } = new pg.Client({ connectionString: database.url });
  const client = new pg.Client({ host, port, user, password, database: name, ...config });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
