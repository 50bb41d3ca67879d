import { parseProcess } from '../../base/process/process-table.ts';
import { openProcDescriptor } from '../machine/proc-descriptor.ts';
import { msOfTicks } from '../machine/process-files.ts';
import { connectUntraced, PROBE_APPLICATION } from '../postgres/sql-session.ts';

/** A Postgres server whose arms take turns. */
export interface MeteredServer {
  adminUrl(): string;
  /** The pid of the postmaster; null where its processes cannot be seen (a container, another machine). */
  readonly pid: number | null;
}

/** Reads a server between turns, on a connection of its own to the maintenance database. */
export interface ServerMeter {
  /** Says whose sessions are asked for, and asks at the next edge. */
  watch(databases: readonly string[]): void;
  /** Fails never: what cannot be read is null. */
  edge(options?: { readonly now?: boolean }): Promise<ServerEdge>;
  close(): Promise<void>;
}

export interface ServerEdge {
  /** The log's position. */
  readonly walBytes: number | null;
  /** CPU time of each database's sessions, where they were asked for this time. */
  readonly sessions: Readonly<Record<string, readonly number[]>> | null;
  /** CPU of the postmaster's children that have ended since the last edge, all that they ever used; null where it cannot be seen. */
  readonly endedMs: number | null;
}

/** Sessions come and go seldom; the list of 50 takes as long as all the rest of an edge. */
const LIST_EVERY_MS = 1000;
const LIMIT_MS = 2000;

const WAL_SQL = `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal`;
/** The function behind pg_stat_activity: the view also looks up every session's user. */
const SESSIONS_SQL = `${WAL_SQL}, (
  SELECT coalesce(json_object_agg(datname, pids), '{}') FROM (
    SELECT datname, json_agg(pid) AS pids
    FROM pg_stat_get_activity(NULL) JOIN pg_database d ON d.oid = datid
    WHERE datname = ANY($1) AND backend_type = 'client backend' AND application_name <> '${PROBE_APPLICATION}'
    GROUP BY 1
  ) AS found
) AS sessions`;

interface EdgeRow {
  readonly wal: number;
  readonly sessions?: Readonly<Record<string, readonly number[]>>;
}

/** Connects. Throws what the connection throws. */
export async function openServerMeter(server: MeteredServer): Promise<ServerMeter> {
  const { pid } = server;
  const client = await connectUntraced(server.adminUrl(), { query_timeout: LIMIT_MS, statement_timeout: LIMIT_MS });
  const postmaster = pid === null ? null : openProcDescriptor(`/proc/${pid}/stat`);
  let databases: readonly string[] = [];
  let listedAtMs = Number.NEGATIVE_INFINITY;
  let childTicks: number | null = null;
  const endedMs = (): number | null => {
    const text = postmaster?.read() ?? null;
    if (text === null) return null;
    const before = childTicks;
    childTicks = parseProcess(text).childTicks;
    return before === null ? 0 : msOfTicks(childTicks - before);
  };
  const ask = async (withSessions: boolean): Promise<EdgeRow | null> => {
    const query = withSessions
      ? { name: 'pgsweep_edge_sessions', text: SESSIONS_SQL, values: [databases] }
      : { name: 'pgsweep_edge', text: WAL_SQL };
    const { rows } = await client.query<EdgeRow>(query).catch(() => ({ rows: [] }));
    return rows[0] ?? null;
  };
  return {
    watch(names) {
      databases = names;
      listedAtMs = Number.NEGATIVE_INFINITY;
      childTicks = null;
    },
    async edge({ now = false } = {}) {
      const nowMs = performance.now();
      const isDue = databases.length > 0 && (now || nowMs - listedAtMs >= LIST_EVERY_MS);
      if (isDue) listedAtMs = nowMs;
      const row = await ask(isDue);
      // After the answer: what a session has used can be read until it is gone.
      return { walBytes: row?.wal ?? null, sessions: row?.sessions ?? null, endedMs: endedMs() };
    },
    async close() {
      postmaster?.close();
      await client.end().catch(() => {});
    },
  };
}
