import { chooseColumn, selectList } from '../column-choices.ts';
import { columnsOf, hiddenStatistics, type SqlSession } from '../sql-session.ts';
import { extensionSchema } from './extension.ts';
import { type OpenStatements, type StatementCounts, type StatementEntry, statementColumns } from './model.ts';

/** What tells a line from all others; which of these there are depends on the version. */
const keyColumns = [
  'bucket',
  'bucket_start_time',
  'userid',
  'client_ip',
  'queryid',
  'planid',
  'top_queryid',
  'toplevel',
  'application_name',
  'elevel',
  'sqlcode',
  'message',
];

/** From this level on a line is of a statement that warned (19) or failed (20 or 21, by version). */
const WARNING = 19;

interface MonitorRow extends StatementCounts {
  readonly key: string;
  readonly id: string;
  readonly plan: string | null;
  readonly level: number | null;
  readonly sqlcode: string | null;
  readonly message: string | null;
  readonly histogram: readonly string[] | null;
}

/**
 * Percona's pg_stat_monitor, 1.0 to 2.3: lines of buckets (60 s each by default, ten of them, the oldest overwritten).
 * A bucket's line counts what ran in it, so what ran in a slice is the difference of the lines that were there before,
 * and the whole of those that have begun since.
 */
export const openPgStatMonitor: OpenStatements = async (session) => {
  const schema = await extensionSchema(session, 'pg_stat_monitor');
  if ('absent' in schema) return schema.absent;
  return (await hiddenStatistics(session)) ?? openMonitorViews(session, schema.name);
};

/** The same with the views of a schema, wherever they come from. */
export const openMonitorViews = async (
  session: SqlSession,
  schema: string,
): Promise<Exclude<Awaited<ReturnType<OpenStatements>>, string>> => {
  const columns = await columnsOf(session, `${schema}.pg_stat_monitor`);
  const key = keyColumns.filter((column) => columns.has(column)).map((column) => `coalesce(${column}::text, '')`);
  const text = (column: string): string => `${chooseColumn([column], columns) ?? 'NULL'}::text`;
  const readSql = `
    SELECT concat_ws('|', ${key.join(', ')}) AS key, queryid::text AS id, ${text('planid')} AS plan, elevel::int AS level,
      ${text('sqlcode')} AS sqlcode, ${text('message')} AS message,
      ${chooseColumn(['resp_calls'], columns) ?? 'NULL'}::text[] AS histogram, ${selectList(statementColumns, columns)}
    FROM ${schema}.pg_stat_monitor WHERE datname = $1 AND queryid IS NOT NULL`;
  return {
    extension: 'pg_stat_monitor',
    histogramBounds: await readBounds(session, schema),
    async read(database) {
      return new Map((await session.rows<MonitorRow>(readSql, [database])).map((row) => [row.key, entryOf(row)]));
    },
    async texts(database, ids) {
      const rows = await session.rows<{ id: string; text: string }>(
        `SELECT DISTINCT ON (queryid) queryid::text AS id, query AS text FROM ${schema}.pg_stat_monitor
         WHERE datname = $1 AND queryid::text = ANY($2::text[])`,
        [database, ids],
      );
      return new Map(rows.map(({ id, text }) => [id, text]));
    },
  };
};

function entryOf({ key: _, id, plan, level, sqlcode, message, histogram, ...counts }: MonitorRow): StatementEntry {
  return {
    id,
    counts,
    planId: plan,
    ...(histogram && { histogram: histogram.map(Number) }),
    ...((level ?? 0) >= WARNING && { error: { sqlState: sqlcode ?? '', message: message ?? '' } }),
  };
}

/** The classes of the response times; without them the histogram still counts, by number. */
async function readBounds(session: SqlSession, schema: string): Promise<readonly string[]> {
  const [row] = await session
    .rows<{ timings: string }>(`SELECT ${schema}.get_histogram_timings() AS timings`)
    .catch(() => []);
  return parseBounds(row?.timings ?? '');
}

/** From `(0 - 1)}, (1 - 3)}, (3 - ...)}`, as 1.x prints them, or `{{0.000 - 1.000}, (1.000 - ...}}`, as 2.x does. */
export function parseBounds(timings: string): string[] {
  const pairs = timings.matchAll(/(\d+(?:\.\d+)?) - (\d+(?:\.\d+)?|\.\.\.)/g);
  return [...pairs].map(([, from, to]) =>
    to === '...' ? `over ${Number(from)} ms` : `${Number(from)} - ${Number(to)} ms`,
  );
}
