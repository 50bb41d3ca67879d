import { type Counts, tableOf, valuesIn, valuesOf } from '../counters.ts';
import { warnOnce } from '../warn-once.ts';
import { countsBetween, known, type SqlCounter, selectList } from './column-choices.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { columnsOf, keepSqlSession } from './sql-session.ts';

/** Columns of pg_stat_database beside the sampler's nine; times in ms, from Postgres 14. */
export const databaseEvents = tableOf<SqlCounter>()({
  deadlocks: { from: ['deadlocks'] },
  conflicts: { from: ['conflicts'] },
  temp_files: { from: ['temp_files'] },
  temp_kb: { from: ['temp_bytes'], times: 1 / 1024 },
  sessions_opened: { from: ['sessions'] },
  sessions_lost: { from: ['sessions_abandoned + sessions_fatal + sessions_killed'] },
  transactions: { value: null, from: ['xact_commit + xact_rollback'] },
  rollback_share: { from: ['xact_rollback'], per: 'transactions' },
  blocks: { value: null, from: ['blks_hit + blks_read'] },
  block_read_share: { from: ['blks_read'], per: 'blocks' },
  active_ms_per_transaction: { from: ['active_time'], per: 'transactions' },
  idle_in_transaction_ms_per_transaction: { from: ['idle_in_transaction_time'], per: 'transactions' },
});

type DatabaseEvents = Counts<keyof typeof databaseEvents>;

/**
 * Deadlocks, temporary files, conflicts, sessions, and how long a transaction was active or idle, from pg_stat_database.
 *
 * The counters lag by up to a second of work at the end of a slice, so a rate by them would be wrong. A count
 * (`deadlocks`) is of what has been reported: it says that there were such events, and at least how many. The others
 * are ratios of counters that a backend reports together, which the lag leaves as they are. `session_time` is left out:
 * it comes with a session's next report, the idle time before the slice included.
 */
export const pgStatDatabase = postgresProbe(
  'pg-stat-database',
  ({ postgres, onWarning }) =>
    keepSqlSession(postgres.adminUrl(), async (session) => {
      const columns = await columnsOf(session, 'pg_stat_database');
      const sql = `SELECT ${selectList(databaseEvents, columns)} FROM pg_stat_database WHERE datname = $1`;
      return {
        begin: beginDifference({
          attempt: warnOnce('pg-stat-database', onWarning),
          async read({ database }) {
            const [row] = await session.rows<DatabaseEvents>(sql, [database]);
            if (row === undefined) throw new Error(`there is no database ${database}`);
            return row;
          },
          tell: (before, after) => ({ values: known(valuesOf(databaseEvents, countsBetween(before, after))) }),
        }),
        close: session.close,
      };
    }),
  { values: valuesIn(databaseEvents) },
);
