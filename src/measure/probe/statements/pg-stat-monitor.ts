import { chooseColumn, selectList } from '../postgres/column-choices.ts';
import { columnsOf, hiddenStatistics, PROBE_APPLICATION, type SqlSession } from '../postgres/sql-session.ts';
import { extensionSchema } from './extension.ts';
import {
  add,
  entriesTogether,
  type OpenStatements,
  type StatementCounts,
  type StatementEntry,
  type StatementsSource,
  statementCounters,
} from './model.ts';
import { statementsProbe } from './probe.ts';

/**
 * Columns that identify a line and never change in it; the version decides which of them exist. Lines that differ only in
 * other columns (such as the statement that called this one) are added up. Errors are not included: a line has its latest.
 */
const keyColumns = [
  'bucket',
  'bucket_start_time',
  'userid',
  'client_ip',
  'queryid',
  'planid',
  'toplevel',
  'application_name',
];

/** They have no id where pg_stat_statements is preloaded after pg_stat_monitor; from 2.0 on they are one line. */
export const UTILITY_TEXT = 'utility statements, all in one';

/** Up to 2.3.2 each call counts as one that was planned, so this is no number of plans. */
const { plans: _, ...columnChoices } = statementCounters;

interface MonitorRow extends Omit<StatementCounts, 'plans'> {
  readonly key: string;
  readonly id: string;
  readonly plan: string | null;
  readonly sqlcode: string | null;
  readonly message: string | null;
  readonly histogram: readonly string[] | null;
}

/**
 * Percona's pg_stat_monitor, 1.1 to 2.3: lines of buckets (60 s each by default, ten of them, the oldest overwritten).
 * A bucket's line counts what ran in it, so what ran in a slice is the difference of the lines that were there before,
 * and the whole of those that have begun since.
 *
 * A SELECT, INSERT, UPDATE or DELETE that fails has its own line, by its text; 1.x counts it once a bucket, however
 * often it fails. A COMMIT, LOCK or other utility statement that fails is counted with those that did not.
 *
 * Where buckets change, the extension loses a few calls of many clients at once: up to 3 of 2,100 with 50 connections and
 * buckets of a second, against pg_stat_statements in the same server.
 */
export const openPgStatMonitor: OpenStatements = async (session) => {
  const schema = await extensionSchema(session, 'pg_stat_monitor');
  if ('absent' in schema) return schema.absent;
  return (await hiddenStatistics(session)) ?? openMonitorViews(session, schema.name);
};

/** Reads the views of pg_stat_monitor in a schema. */
export async function openMonitorViews(session: SqlSession, schema: string): Promise<StatementsSource> {
  const columns = await columnsOf(session, `${schema}.pg_stat_monitor`);
  const key = keyColumns.filter((column) => columns.has(column)).map((column) => `coalesce(${column}::text, '')`);
  const text = (column: string): string => `${chooseColumn([column], columns) ?? 'NULL'}::text`;
  // From 2.0 on the name is not there for what was counted while no transaction was open, such as a ROLLBACK after an error.
  const ofDatabase = columns.has('dbid') ? 'dbid = (SELECT oid FROM pg_database WHERE datname = $1)' : 'datname = $1';
  const readSql = `
    SELECT concat_ws('|', ${key.join(', ')}) AS key, queryid::text AS id, ${text('planid')} AS plan,
      ${text('sqlcode')} AS sqlcode, ${text('message')} AS message,
      ${chooseColumn(['resp_calls'], columns) ?? 'NULL'}::text[] AS histogram, ${selectList(columnChoices, columns)}
    FROM ${schema}.pg_stat_monitor
    WHERE ${ofDatabase} AND queryid IS NOT NULL AND application_name IS DISTINCT FROM '${PROBE_APPLICATION}'`;
  const isOne = columns.has('state_code');
  // While a session has it on, the view keeps from it what ran in sessions that had it off.
  await session.rows(`SELECT set_config('pg_stat_monitor.pgsm_enable_query_plan', 'off', false)`);
  return {
    extension: 'pg_stat_monitor',
    histogramBounds: await readBounds(session, schema),
    keepsMs: await readKeepsMs(session),
    async read(database) {
      const lines = new Map<string, StatementEntry>();
      for (const row of await session.rows<MonitorRow>(readSql, [database])) {
        const entry = entryOf(row);
        // 1.x may count what failed in the line of what did not, or in one beside it, which nothing else tells from it.
        const isBeside = isOne && entry.error !== undefined && entry.counts.total_ms === 0;
        add(lines, isBeside ? `${row.key}|failed` : row.key, entry, entriesTogether);
      }
      return lines;
    },
    async texts(database, ids) {
      const ofIds = (id: string, shown: string): string =>
        `SELECT DISTINCT ON (${id}) ${id}::text AS id, ${shown} AS text FROM ${schema}.pg_stat_monitor
         WHERE ${ofDatabase} AND ${id}::text = ANY($2::text[])`;
      const query = `CASE queryid::text WHEN '0' THEN '${UTILITY_TEXT}' ELSE query END`;
      const sql = `(${ofIds('queryid', query)}) UNION ALL (${ofIds('planid', 'query_plan')})`;
      const rows = await session.rows<{ id: string; text: string | null }>(sql, [database, ids]);
      return new Map(rows.flatMap(({ id, text }) => (text === null ? [] : [[id, text]])));
    },
  };
}

function entryOf({ key: _key, id, plan, sqlcode, message, histogram, ...counts }: MonitorRow): StatementEntry {
  // Messages of class 00 are no warnings; 1.x keeps them too. A level goes back to 0 with the next call, a state stays.
  const failed = sqlcode !== null && sqlcode !== '' && !sqlcode.startsWith('00');
  // One that has not ended yet is shown as one call, in no time.
  const hasEnded = failed || counts.total_ms !== 0;
  return {
    id,
    counts: { ...counts, calls: hasEnded ? counts.calls : 0, plans: null },
    planId: plan,
    ...(histogram && { histogram: histogram.map((calls) => (hasEnded ? Number(calls) : 0)) }),
    ...(failed && { error: { sqlState: sqlcode, message: message ?? '' } }),
  };
}

/** The bucket that is written now is overwritten when all the others have been. */
async function readKeepsMs(session: SqlSession): Promise<number> {
  const [row] = await session.rows<{ keeps: number | null }>(
    `SELECT 1000.0::float8 * sum(setting::float8) FILTER (WHERE name LIKE '%bucket_time')
       * (sum(setting::float8) FILTER (WHERE name LIKE '%max_buckets') - 1) AS keeps
     FROM pg_settings WHERE name IN ('pg_stat_monitor.pgsm_bucket_time', 'pg_stat_monitor.pgsm_max_buckets')`,
  );
  return row?.keeps ?? Number.POSITIVE_INFINITY;
}

/** The classes of the response times; without them the histogram still counts, by number. */
async function readBounds(session: SqlSession, schema: string): Promise<readonly string[]> {
  const [row] = await session
    .rows<{ timings: string; least: number | null }>(
      `SELECT ${schema}.get_histogram_timings() AS timings,
         (SELECT setting::float8 FROM pg_settings WHERE name = 'pg_stat_monitor.pgsm_histogram_min') AS least`,
    )
    .catch(() => []);
  return parseBounds(row?.timings ?? '', row?.least ?? 0);
}

/**
 * From `(0 - 1)}, (1 - 3)}`, as 1.x prints them, or `{{0.000 - 1.000}, (1.000 - ...}}`, as 2.x does. Those of 1.x begin at
 * `leastMs` (pgsm_histogram_min), and the first and last of them hold also what is shorter and longer.
 */
export function parseBounds(timings: string, leastMs = 0): string[] {
  // The text of many classes is cut off, in the midst of a number.
  const pairs = [...timings.matchAll(/(\d+(?:\.\d+)?) - (\d+(?:\.\d+)?|\.\.\.)(?=[)}])/g)];
  const isOne = timings.startsWith('(');
  return pairs.map(([, from, to], index) => {
    const start = Number(from) + (isOne && index > 0 ? leastMs : 0);
    if (to === '...' || (isOne && index === pairs.length - 1)) return `over ${start} ms`;
    return `${start} - ${Number(to) + (isOne ? leastMs : 0)} ms`;
  });
}

export const pgStatMonitor = statementsProbe('pg-stat-monitor', openPgStatMonitor);
