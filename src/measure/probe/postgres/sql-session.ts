import pg from 'pg';
import { applications } from '../../../base/application-names.ts';
import { createInTurn } from '../../../base/async/in-turn.ts';

/** Queries of the database's own statistics that leave no trace in them. Everything throws the errors of pg. */
export interface SqlSession {
  rows<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs a statement that somebody else wrote: text that holds several is an error, and none of them runs. */
  single(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Tells a probe's own sessions from the service's. */
export const PROBE_APPLICATION = applications.probe;

/** A probe that waits for a lock, or for a server that hangs, must not hold up the run. */
const limitsMs = { query_timeout: 5000, statement_timeout: 3000, lock_timeout: 500 };
const CONNECT_MS = 5000;

/**
 * Superusers alone may do this; without it a probe's few statements stand among the service's thousands. What a probe
 * tries and fails at is no error of the server's that its log should tell of.
 */
const UNTRACED_SQL = `
  SELECT set_config('track_counts', 'off', false), set_config('log_min_messages', 'panic', false),
    set_config('pg_stat_statements.track', 'none', false), set_config('pg_stat_monitor.pgsm_track', 'none', false)`;

/** Connects to a database. In the server's counters this is two transactions, and few rows. */
export async function connectUntraced(url: string, limits: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: PROBE_APPLICATION,
    connectionTimeoutMillis: CONNECT_MS,
    options: '-c jit=off',
    ...limits,
  });
  // A server that dies is noticed by whoever waits for it; the event alone would end the bench.
  client.on('error', () => {});
  await client.connect();
  await client.query(UNTRACED_SQL).catch(() => {});
  return client;
}

async function openSqlSession(url: string): Promise<SqlSession> {
  const client = await connectUntraced(url, limitsMs);
  const names = new Map<string, string>();
  /** A name makes a statement prepared, so that one which is read again and again is parsed and planned once. */
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `pgsweep_${names.size}`;
    names.set(text, name);
    return name;
  };
  // All arms of a pass are looked at at once; that pg would queue their queries is deprecated.
  const inTurn = createInTurn();
  const query = <Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<Row>> =>
    inTurn(() => client.query<Row>(config));
  return {
    rows: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await query<Row>({ text, values: [...values], ...(values.length > 0 && { name: nameOf(text) }) })).rows,
    async single(text) {
      // A prepared statement goes by the extended protocol, in which a message holds one statement.
      await query({ name: nameOf(text), text });
    },
    close: () => client.end(),
  };
}

/**
 * Connects for as long as `use` takes. For an arm's own database: a connection that stayed there would keep the arm's
 * counters from being complete, and the database from being copied.
 */
export async function withSqlSession<T>(url: string, use: (session: SqlSession) => Promise<T>): Promise<T> {
  const session = await openSqlSession(url);
  try {
    return await use(session);
  } finally {
    await session.close().catch(() => {});
  }
}

/** Connects for a probe that `open` makes, and that closes the session; closed at once where it gives a reason or throws. */
export async function keepSqlSession<Opened extends object>(
  url: string,
  open: (session: SqlSession) => Promise<Opened | string>,
): Promise<Opened | string> {
  const session = await openSqlSession(url);
  let opened: Opened | string = '';
  try {
    opened = await open(session);
    return opened;
  } finally {
    if (typeof opened === 'string') await session.close().catch(() => {});
  }
}

/** The columns of a view or table, in the search path or with its schema; empty where there is none such. */
export async function columnsOf(session: SqlSession, relation: string): Promise<ReadonlySet<string>> {
  const rows = await session.rows<{ name: string }>(
    'SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped',
    [relation],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Why this user sees only a part of the statistics; null where it sees them all. */
export async function hiddenStatistics(session: SqlSession): Promise<string | null> {
  const [row] = await session.rows<{ reads: boolean; user: string }>(
    `SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS reads, current_user::text AS user`,
  );
  if (row?.reads !== false) return null;
  return `the user ${row.user} may not read other users' statistics (GRANT pg_monitor TO "${row.user}")`;
}
