import { type Counts, tableOf, valuesIn, valuesOf } from '../counters.ts';
import { warnOnce } from '../warn-once.ts';
import { countsBetween, known, type SqlCounter, selectList } from './column-choices.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { columnsOf, keepSqlSession, type SqlSession } from './sql-session.ts';

/** Views of one row each; which of them there are depends on the version (checkpointer from 17, WAL from 14). */
export const serverViews = ['pg_stat_bgwriter', 'pg_stat_checkpointer', 'pg_stat_wal'] as const;

/** Counts of the server as a whole, from those views together; times in ms. */
export const serverCounters = tableOf<SqlCounter>()({
  // From 17 a timed one that found nothing to do is counted among the timed ones, from 18 apart.
  checkpoints: { from: ['num_done', 'num_timed + num_requested', 'checkpoints_timed + checkpoints_req'] },
  checkpoint_write_ms: { from: ['write_time', 'checkpoint_write_time'] },
  checkpoint_sync_ms: { from: ['sync_time', 'checkpoint_sync_time'] },
  checkpoint_buffers: { from: ['buffers_written', 'buffers_checkpoint'] },
  bgwriter_buffers: { from: ['buffers_clean'] },
});

/** Counts of the server's sessions, from those views together: an arm's that has the server for itself. */
export const sessionCounters = tableOf<SqlCounter>()({
  wal_records: { value: null, from: ['wal_records'] },
  wal_full_page_share: { from: ['wal_fpi'], per: 'wal_records' },
  wal_buffers_full: { from: ['wal_buffers_full'] },
  /** Written or added by sessions themselves; from 17 pg_stat_io tells it. */
  backend_buffers: { from: ['buffers_backend'] },
});

/** All counts of those views. */
export const viewCounters = { ...serverCounters, ...sessionCounters };

/** The columns of pg_stat_io (from Postgres 16), read by backend type, object and context. Values are those of sessions. */
export const ioCounters = tableOf<SqlCounter>()({
  reads: { value: null, from: ['reads'] },
  read_kb: { value: null, from: ['read_bytes / 1024', 'reads * op_bytes / 1024'] },
  writes: { value: 'backend_writes', from: ['writes'] },
  write_kb: { value: null, from: ['write_bytes / 1024', 'writes * op_bytes / 1024'] },
  extends: { value: null, from: ['extends'] },
  hits: { value: null, from: ['hits'] },
  evictions: { value: 'backend_evictions', from: ['evictions'] },
  fsyncs: { value: null, from: ['fsyncs'] },
});

const WAL_RATE = 'wal_kb_per_s';

type ServerCounts = Counts<keyof typeof viewCounters>;
type IoCounts = Counts<keyof typeof ioCounters>;

interface ServerReading {
  readonly walBytes: number;
  readonly counts: ServerCounts;
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
            const sessions = io.find(({ where }) => where === `${SESSIONS}, relation, normal`);
            const walBytes = load.walBytes ?? (shared ? null : after.walBytes - before.walBytes);
            return {
              values: known({
                [WAL_RATE]: walBytes === null ? null : walBytes / 1.024 / load.loadMs,
                ...valuesOf(serverCounters, counted),
                ...(!shared && {
                  ...valuesOf(sessionCounters, counted),
                  ...(sessions && valuesOf(ioCounters, sessions)),
                }),
              }),
              rows: shared ? io.filter(({ where }) => !where.startsWith(SESSIONS)) : io,
            };
          },
        }),
        close: session.close,
      };
    }),
  { byTurns: true, values: [WAL_RATE, ...valuesIn(viewCounters), ...valuesIn(ioCounters)] },
);

async function serverReader(session: SqlSession): Promise<() => Promise<ServerReading>> {
  const columns = new Set<string>();
  const there: string[] = [];
  for (const view of serverViews) {
    const found = await columnsOf(session, view);
    if (found.size > 0) there.push(view);
    for (const column of found) columns.add(column);
  }
  const serverSql = `
    SELECT ${selectList(viewCounters, columns)}, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal_position
    FROM ${there.join(', ')}`;
  const ioFound = await columnsOf(session, 'pg_stat_io');
  const ioSql = `
    SELECT concat_ws(', ', backend_type, object, context) AS "where", ${selectList(ioCounters, ioFound)} FROM pg_stat_io`;
  return async () => {
    const [row] = await session.rows<ServerCounts & { wal_position: number }>(serverSql);
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
