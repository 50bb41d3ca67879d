import { warnOnce } from '../warn-once.ts';
import { type ColumnChoices, type Counts, countsBetween, known, ratio, selectList } from './column-choices.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { columnsOf, keepSqlSession, type SqlSession } from './sql-session.ts';

/** Views of one row each; which of them there are depends on the version (checkpointer from 17, WAL from 14). */
export const serverViews = ['pg_stat_bgwriter', 'pg_stat_checkpointer', 'pg_stat_wal'] as const;

/** Counts of the server as a whole, from those views together; times in ms. */
export const serverColumns = {
  // From 17 a timed one that found nothing to do is counted among the timed ones, from 18 apart.
  checkpoints: ['num_done', 'num_timed + num_requested', 'checkpoints_timed + checkpoints_req'],
  checkpoint_write_ms: ['write_time', 'checkpoint_write_time'],
  checkpoint_sync_ms: ['sync_time', 'checkpoint_sync_time'],
  checkpoint_buffers: ['buffers_written', 'buffers_checkpoint'],
  bgwriter_buffers: ['buffers_clean'],
  /** Written or added by sessions themselves; from 17 pg_stat_io tells it. */
  backend_buffers: ['buffers_backend'],
  wal_records: ['wal_records'],
  wal_full_pages: ['wal_fpi'],
  wal_buffers_full: ['wal_buffers_full'],
} as const satisfies ColumnChoices;

/** The columns of pg_stat_io (from Postgres 16), read by backend type, object and context. */
export const ioColumns = {
  reads: ['reads'],
  read_kb: ['read_bytes / 1024', 'reads * op_bytes / 1024'],
  writes: ['writes'],
  write_kb: ['write_bytes / 1024', 'writes * op_bytes / 1024'],
  extends: ['extends'],
  hits: ['hits'],
  evictions: ['evictions'],
  fsyncs: ['fsyncs'],
} as const satisfies ColumnChoices;

type IoCounts = Counts<keyof typeof ioColumns>;

interface ServerReading {
  readonly walBytes: number;
  readonly counts: Counts<keyof typeof serverColumns>;
  /** By `client backend, relation, normal`. */
  readonly io: ReadonlyMap<string, IoCounts>;
}

/** The backend type in pg_stat_io of sessions, which work for the arms. */
const SESSIONS = 'client backend';

/**
 * WAL, checkpoints, background writer and pg_stat_io: of the server as a whole. WAL bytes are exact, by the log's
 * position: the turn meter tells how far it moved in an arm's own turns. Of a server that arms share, the rest is reported
 * where it explains the machine, the same for each of them (checkpoints, background writer); what sessions did is left
 * out there, since it is not known whose they were. Sessions report the other counts up to a second late, so those of sessions
 * are reported as ratios and as rows; the checkpointer and the background writer report their own at once.
 */
export const postgresIo = postgresProbe(
  'postgres-io',
  ({ postgres, onWarning }) =>
    keepSqlSession(postgres.adminUrl(), async (session) => {
      const read = await serverReader(session);
      return {
        begin: beginDifference({
          attempt: warnOnce('postgres-io', onWarning),
          read,
          tell(before, after, { load, shared }) {
            const counted = countsBetween(before.counts, after.counts);
            const io = ioBetween(before.io, after.io);
            const walBytes = load.walBytes ?? (shared ? null : after.walBytes - before.walBytes);
            return {
              values: known({
                wal_kb_per_s: walBytes === null ? null : walBytes / 1.024 / load.loadMs,
                checkpoints: counted.checkpoints,
                checkpoint_write_ms: counted.checkpoint_write_ms,
                checkpoint_sync_ms: counted.checkpoint_sync_ms,
                checkpoint_buffers: counted.checkpoint_buffers,
                bgwriter_buffers: counted.bgwriter_buffers,
                ...(!shared && sessionValues(counted, io)),
              }),
              rows: shared ? io.filter(({ where }) => !where.startsWith(SESSIONS)) : io,
            };
          },
        }),
        close: session.close,
      };
    }),
  { byTurns: true },
);

/** Work of a server's sessions, for an arm that has the server for itself. */
function sessionValues(
  counted: Counts<keyof typeof serverColumns>,
  io: ReturnType<typeof ioBetween>,
): Readonly<Record<string, number | null>> {
  const client = io.find(({ where }) => where === `${SESSIONS}, relation, normal`);
  return {
    wal_full_page_share: ratio(counted.wal_full_pages, counted.wal_records),
    wal_buffers_full: counted.wal_buffers_full,
    backend_buffers: counted.backend_buffers,
    ...(client && { backend_writes: client.writes, backend_evictions: client.evictions }),
  };
}

async function serverReader(session: SqlSession): Promise<() => Promise<ServerReading>> {
  const columns = new Set<string>();
  const there: string[] = [];
  for (const view of serverViews) {
    const found = await columnsOf(session, view);
    if (found.size > 0) there.push(view);
    for (const column of found) columns.add(column);
  }
  const serverSql = `
    SELECT ${selectList(serverColumns, columns)}, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal_position
    FROM ${there.join(', ')}`;
  const ioFound = await columnsOf(session, 'pg_stat_io');
  const ioSql = `
    SELECT concat_ws(', ', backend_type, object, context) AS "where", ${selectList(ioColumns, ioFound)} FROM pg_stat_io`;
  return async () => {
    const [row] = await session.rows<Counts<keyof typeof serverColumns> & { wal_position: number }>(serverSql);
    if (row === undefined) throw new Error('the server tells nothing of itself');
    const { wal_position: walBytes, ...counts } = row;
    const io = ioFound.size === 0 ? [] : await session.rows<IoCounts & { where: string }>(ioSql);
    return { walBytes, counts, io: new Map(io.map(({ where, ...counts }) => [where, counts])) };
  };
}

function ioBetween(
  before: ReadonlyMap<string, IoCounts>,
  after: ReadonlyMap<string, IoCounts>,
): readonly (IoCounts & { readonly where: string })[] {
  return [...after].flatMap(([where, counts]) => {
    const earlier = before.get(where);
    const between = earlier === undefined ? counts : countsBetween(earlier, counts);
    return Object.values(between).some((count) => count !== null && count > 0) ? [{ where, ...between }] : [];
  });
}
