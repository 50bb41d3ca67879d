import pg from 'pg';
import { createInTurn } from '../../../base/async/in-turn.ts';
import { systemClock } from '../../../base/clock.ts';
import { freeSession } from '../../../base/free-session.ts';
import { type DatabaseCounters, databaseColumns } from '../../../journal/records.ts';
import { PROBE_APPLICATION } from '../postgres/sql-session.ts';
import { createServerClock } from './server-clock.ts';

/**
 * A Postgres backend reports its counters at most once a second, and what is left when it has been idle for 10 s
 * (Postgres 15 and later) or when it ends. Read earlier, up to a second's work is missing.
 */
export const SETTLE_MS = 10_300;

/** Reads the counters of databases from outside, on one connection to the maintenance database. */
export interface CountersReader {
  /** By database name; a database that does not exist is left out. */
  read(databases: readonly string[]): Promise<ReadonlyMap<string, DatabaseCounters>>;
  /** Connections to a database that are not the bench's. */
  connectionCount(database: string): Promise<number>;
  /**
   * Databases in which a session may hold back what it did: it was used less than `SETTLE_MS` ago, and not in the last
   * `unusedMs`. Sessions that the bench's user may not see are taken for none.
   */
  holdingBack(databases: readonly string[], unusedMs: number): Promise<ReadonlySet<string>>;
  /** Databases whose server's time was set, as readings show, so that sessions may have reported late or early since this moment. */
  clockSet(databases: readonly string[], sinceMs: number): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Columns that are read of a database. */
const readColumns = [...databaseColumns, 'temp_bytes'] as const;
type ReadColumn = (typeof readColumns)[number];

const READ_SQL = `
  SELECT datname, 1000 * extract(epoch FROM clock_timestamp()) AS time_ms, ${readColumns.join(', ')}
  FROM pg_stat_database WHERE datname = ANY($1)`;
const HOLDING_BACK_SQL = `
  SELECT DISTINCT datname FROM pg_stat_activity
  WHERE datname = ANY($1) AND backend_type = 'client backend' AND application_name <> '${PROBE_APPLICATION}'
    AND query_start IS NOT NULL AND state_change < clock_timestamp() - $2 * interval '1 ms'
    AND state_change > clock_timestamp() - ${SETTLE_MS} * interval '1 ms'`;
const CONNECTIONS_SQL = 'SELECT count(*) AS connections FROM pg_stat_activity WHERE datname = $1';

/** Opens the reader. Throws what the connection throws. */
export async function openCountersReader(adminUrl: string): Promise<CountersReader> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: PROBE_APPLICATION });
  // A server that dies is noticed by whoever waits for it; the event alone would end the bench.
  client.on('error', () => {});
  await client.connect();
  await freeSession(client);
  // The sampler and all arms of a round ask; that pg would queue their queries is deprecated.
  const inTurn = createInTurn();
  const ask = <Row extends pg.QueryResultRow>(sql: string, values: unknown[]): Promise<pg.QueryResult<Row>> =>
    inTurn(() => client.query<Row>(sql, values));
  const serverClock = createServerClock(SETTLE_MS);
  const readRows = (databases: readonly string[]) =>
    inTurn(async () => {
      const askedMs = systemClock.nowMs();
      const { rows } = await client.query<Record<ReadColumn | 'datname' | 'time_ms', string>>(READ_SQL, [databases]);
      if (rows[0] !== undefined) serverClock.see(Number(rows[0].time_ms), askedMs, systemClock.nowMs());
      return rows;
    });
  // What services do before their first reading is watched as well.
  await readRows([client.database ?? '']);
  return {
    async read(databases) {
      const rows = await readRows(databases);
      return new Map(rows.map((row) => [row.datname, toCounters(row)]));
    },
    async connectionCount(database) {
      const { rows } = await ask<{ connections: string }>(CONNECTIONS_SQL, [database]);
      return Number(rows[0]?.connections ?? 0);
    },
    async holdingBack(databases, unusedMs) {
      const { rows } = await ask<{ datname: string }>(HOLDING_BACK_SQL, [databases, unusedMs]);
      return new Set(rows.map(({ datname }) => datname));
    },
    clockSet: async (databases, sinceMs) => new Set(serverClock.wasSet(sinceMs) ? databases : []),
    close: () => client.end(),
  };
}

function toCounters(row: Readonly<Record<ReadColumn, string>>): DatabaseCounters {
  return Object.fromEntries(readColumns.map((column) => [column, Number(row[column])])) as DatabaseCounters;
}

/** Counts between two readings. */
export function countersBetween(from: DatabaseCounters, to: DatabaseCounters): DatabaseCounters {
  const entries = readColumns.map((column) => [column, (to[column] ?? 0) - (from[column] ?? 0)]);
  return Object.fromEntries(entries) as DatabaseCounters;
}
