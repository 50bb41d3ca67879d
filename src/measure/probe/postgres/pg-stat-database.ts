import { warnOnce } from '../warn-once.ts';
import { type ColumnChoices, type Counts, countsBetween, known, ratio, selectList } from './column-choices.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { columnsOf, keepSqlSession } from './sql-session.ts';

/** Columns of pg_stat_database beside the sampler's nine; times in ms, from Postgres 14. */
export const databaseEventColumns = {
  commits: ['xact_commit'],
  rollbacks: ['xact_rollback'],
  blocks_hit: ['blks_hit'],
  blocks_read: ['blks_read'],
  deadlocks: ['deadlocks'],
  conflicts: ['conflicts'],
  temp_files: ['temp_files'],
  temp_bytes: ['temp_bytes'],
  sessions: ['sessions'],
  sessions_lost: ['sessions_abandoned + sessions_fatal + sessions_killed'],
  active_ms: ['active_time'],
  idle_in_transaction_ms: ['idle_in_transaction_time'],
} as const satisfies ColumnChoices;

type DatabaseEvents = Counts<keyof typeof databaseEventColumns>;

/**
 * Deadlocks, temporary files, conflicts, sessions, and how long a transaction was active or idle, from pg_stat_database.
 *
 * The counters lag by up to a second of work at the end of a slice, so a rate by them would be wrong. A count
 * (`deadlocks`) is of what has been reported: it says that there were such events, and at least how many. The others
 * are ratios of counters that a backend reports together, which the lag leaves as they are. `session_time` is left out:
 * it comes with a session's next report, the idle time before the slice included.
 */
export const pgStatDatabase = postgresProbe('pg-stat-database', ({ postgres, onWarning }) =>
  keepSqlSession(postgres.adminUrl(), async (session) => {
    const columns = await columnsOf(session, 'pg_stat_database');
    const sql = `SELECT ${selectList(databaseEventColumns, columns)} FROM pg_stat_database WHERE datname = $1`;
    return {
      begin: beginDifference({
        attempt: warnOnce('pg-stat-database', onWarning),
        async read({ database }) {
          const [row] = await session.rows<DatabaseEvents>(sql, [database]);
          if (row === undefined) throw new Error(`there is no database ${database}`);
          return row;
        },
        tell: (before, after) => ({ values: valuesOf(countsBetween(before, after)) }),
      }),
      close: session.close,
    };
  }),
);

function valuesOf(counted: DatabaseEvents): Readonly<Record<string, number>> {
  const transactions = (counted.commits ?? 0) + (counted.rollbacks ?? 0);
  const blocks = (counted.blocks_hit ?? 0) + (counted.blocks_read ?? 0);
  return known({
    deadlocks: counted.deadlocks,
    conflicts: counted.conflicts,
    temp_files: counted.temp_files,
    temp_kb: counted.temp_bytes === null ? null : counted.temp_bytes / 1024,
    sessions_opened: counted.sessions,
    sessions_lost: counted.sessions_lost,
    rollback_share: ratio(counted.rollbacks, transactions),
    block_read_share: ratio(counted.blocks_read, blocks),
    active_ms_per_transaction: ratio(counted.active_ms, transactions),
    idle_in_transaction_ms_per_transaction: ratio(counted.idle_in_transaction_ms, transactions),
  });
}
