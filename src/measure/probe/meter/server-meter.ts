import { FREE_IDLE_SQL } from '../../../base/free-session.ts';
import { parseProcess } from '../../../base/process/process-table.ts';
import { openProcDescriptor } from '../machine/proc-descriptor.ts';
import { msOfTicks } from '../machine/process-files.ts';
import { connectUntraced, PROBE_APPLICATION } from '../postgres/sql-session.ts';
import { ROWS_WRITTEN_SQL, type RowsWritten } from './rows-written.ts';

/** A Postgres server whose arms take turns. */
export interface MeteredServer {
  adminUrl(): string;
  /** The pid of the postmaster; null where its processes cannot be seen (a container, another machine). */
  readonly pid: number | null;
  /** Set where others have databases on it, too: how the names of the run's begin. */
  readonly databasePrefix?: string;
}

/** Reads a server between turns, on its own connection to the maintenance database. What cannot be read is null. */
export interface ServerMeter {
  /** Says whose sessions are asked for, and asks at the next edge. */
  watch(databases: readonly string[]): void;
  edge(options?: { readonly now?: boolean }): Promise<ServerEdge>;
  /**
   * Bytes of data files that all its processes have written or added since its statistics began. The checkpointer and
   * the background writer count at once, sessions up to a second late.
   */
  dataBytes(): Promise<number | null>;
  /** Rows that the run and others have written. Null also where no others use the server. */
  rowsWritten(): Promise<RowsWritten | null>;
  close(): Promise<void>;
}

/** Pids by database. */
type PidsOf = Readonly<Record<string, readonly number[]>>;

export interface ServerEdge {
  /** The log's position. */
  readonly walBytes: number | null;
  /** The sessions of each database that is watched, where they were asked for this time. */
  readonly sessions: PidsOf | null;
  /** The server's other processes, asked for with the sessions: of those databases, and under '' of none of them. */
  readonly background: PidsOf | null;
  /** CPU of the postmaster's children that have ended since the last edge, all that they ever used; null where it cannot be seen. */
  readonly endedMs: number | null;
}

/** Processes come and go seldom, which the kernel tells where it lists children; the list of 50 takes as long as all the rest of an edge. */
const LIST_EVERY_MS = 1000;
/** Postgres shows a process only when it has started: until this long after the kernel's list changed, it may show more. */
const STARTS_WITHIN_MS = 500;
const LIMIT_MS = 2000;

const WAL_SQL = `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal`;
/**
 * The function behind pg_stat_activity: the view also looks up every session's user. From Postgres 18 a worker of autovacuum
 * is shown before it has its database, and would be counted for all arms from then on.
 */
const processes = (name: string, which: string): string => `
  SELECT coalesce(json_object_agg(name, pids), '{}') FROM (
    SELECT ${name} AS name, json_agg(pid) AS pids
    FROM pg_stat_get_activity(NULL) LEFT JOIN pg_database d ON d.oid = datid
    WHERE ${which}
    GROUP BY 1
  ) AS found`;
const SESSION_TYPES = `('client backend', 'parallel worker')`;
const SESSIONS_SQL = `${WAL_SQL}, (${processes(
  'datname',
  `datname = ANY($1) AND backend_type IN ${SESSION_TYPES} AND application_name <> '${PROBE_APPLICATION}'`,
)}) AS sessions, (${processes(
  `CASE WHEN datname = ANY($1) THEN datname ELSE '' END`,
  `backend_type NOT IN ${SESSION_TYPES} AND NOT (backend_type = 'autovacuum worker' AND datname IS NULL)`,
)}) AS background`;

/** Before Postgres 16 pg_stat_bgwriter counts for all processes together; from 18 pg_stat_io counts in bytes, and the log too. */
const DATA_SQL = `SELECT (buffers_checkpoint + buffers_clean + buffers_backend) * current_setting('block_size')::float8 AS bytes FROM pg_stat_bgwriter`;
const DATA_16_SQL =
  'SELECT sum((coalesce(writes, 0) + coalesce(extends, 0)) * op_bytes)::float8 AS bytes FROM pg_stat_io';
const DATA_18_SQL = `SELECT sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))::float8 AS bytes FROM pg_stat_io WHERE object <> 'wal'`;

interface EdgeRow {
  readonly wal: number;
  readonly sessions?: PidsOf;
  readonly background?: PidsOf;
}

/** Connects. Throws what the connection throws. */
export async function openServerMeter(server: MeteredServer): Promise<ServerMeter> {
  const { pid, databasePrefix } = server;
  const client = await connectUntraced(server.adminUrl(), { query_timeout: LIMIT_MS, statement_timeout: LIMIT_MS });
  await client.query(FREE_IDLE_SQL);
  const { rows: versions } = await client.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int AS version`,
  );
  const version = versions[0]?.version ?? 0;
  const dataSql = version >= 180_000 ? DATA_18_SQL : version >= 160_000 ? DATA_16_SQL : DATA_SQL;
  const postmaster = pid === null ? null : openProcDescriptor(`/proc/${pid}/stat`);
  const children = pid === null ? null : openProcDescriptor(`/proc/${pid}/task/${pid}/children`);
  let databases: readonly string[] = [];
  let listedAtMs = Number.NEGATIVE_INFINITY;
  let listed: string | null = null;
  let changedAtMs = Number.NEGATIVE_INFINITY;
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
      const pids = children?.read() ?? null;
      if (pids !== listed) [changedAtMs, listed] = [nowMs, pids];
      const mayStart = nowMs - changedAtMs < STARTS_WITHIN_MS;
      const isDue = databases.length > 0 && (now || mayStart || nowMs - listedAtMs >= LIST_EVERY_MS);
      if (isDue) listedAtMs = nowMs;
      const row = await ask(isDue);
      // After the answer: what a session has used can be read until it is gone.
      const { wal: walBytes = null, sessions = null, background = null } = row ?? {};
      return { walBytes, sessions, background, endedMs: endedMs() };
    },
    async dataBytes() {
      const { rows } = await client.query<{ bytes: number | null }>(dataSql).catch(() => ({ rows: [] }));
      return rows[0]?.bytes ?? null;
    },
    async rowsWritten() {
      if (databasePrefix === undefined) return null;
      const { rows } = await client.query<RowsWritten>(ROWS_WRITTEN_SQL, [databasePrefix]).catch(() => ({ rows: [] }));
      return rows[0] ?? null;
    },
    async close() {
      postmaster?.close();
      children?.close();
      await client.end().catch(() => {});
    },
  };
}
