import { type Counts, eachRow, tableOf, valuesIn, valuesOf } from '../counters.ts';
import { warnOnce } from '../warn-once.ts';
import { countsBetween, known, type SqlCounter, selectList } from './column-choices.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { columnsOf, withSqlSession } from './sql-session.ts';

/** The counters of pg_stat_user_tables; values are of all tables together. */
export const tableCounters = tableOf<SqlCounter>()({
  seq_scans: { value: 'seq_scan_share', from: ['seq_scan'], per: 'scans' },
  seq_rows: { value: 'seq_rows_per_seq_scan', from: ['seq_tup_read'], per: 'seq_scans' },
  index_scans: { value: null, from: ['idx_scan'] },
  inserted: { value: null, from: ['n_tup_ins'] },
  updated: { value: null, from: ['n_tup_upd'] },
  hot_updated: { value: 'hot_update_share', from: ['n_tup_hot_upd'], per: 'updated' },
  deleted: { value: null, from: ['n_tup_del'] },
  vacuums: { from: ['vacuum_count + autovacuum_count'] },
  analyzes: { from: ['analyze_count + autoanalyze_count'] },
});

/** The counters of pg_stat_user_indexes. */
export const indexCounters = tableOf<SqlCounter>()({
  index_scans: { from: ['idx_scan'] },
  index_rows: { from: ['idx_tup_read'] },
});

type TableCounts = Counts<keyof typeof tableCounters>;
type IndexCounts = Counts<keyof typeof indexCounters>;
interface Relation<Counted> {
  readonly table: string;
  readonly index: string | null;
  readonly kb: number;
  /** Rows that wait for a vacuum now, of a table. */
  readonly deadRows: number | null;
  readonly counts: Counted;
}

interface UseReading {
  readonly tables: ReadonlyMap<string, Relation<TableCounts>>;
  readonly indexes: ReadonlyMap<string, Relation<IndexCounts>>;
}

/** Values as they are at the end, of all together. */
const sizes = ['dead_rows', 'tables_kb', 'indexes_kb'] as const;

/** The largest tables are read, and the most used of them reported: a user's schema may have thousands. */
const MOST_READ = 500;
const MOST_TOLD = 40;

/**
 * How the arm's tables and indexes are used, and how large they are. Sessions report their counts up to a second late, so
 * the values are ratios, events and sizes; the counts stand in the rows, for comparing tables with each other.
 * The connection to the arm's database is opened for each reading, before and after the load: two transactions a slice.
 */
export const tableUse = postgresProbe(
  'table-use',
  async ({ postgres, onWarning }) => ({
    begin: beginDifference<UseReading>({
      attempt: warnOnce('table-use', onWarning),
      read: ({ database }) => readUse(postgres.adminUrl(database)),
      tell(before, after) {
        const tables = countedSince(before.tables, after.tables);
        const indexes = countedSince(before.indexes, after.indexes);
        const sums = eachRow(tableCounters, (_, name) => sum(tables.map(({ counts }) => counts[name])));
        const scans = sums.seq_scans + sums.index_scans;
        const values = known({ ...valuesOf(tableCounters, sums, { scans }), ...sizesOf(tables, indexes) });
        return { values, rows: rowsOf(tables, indexes) };
      },
    }),
    close: async () => {},
  }),
  { values: [...valuesIn(tableCounters), ...sizes] },
);

function readUse(url: string): Promise<UseReading> {
  return withSqlSession(url, async (session) => {
    // One transaction: each is counted among the arm's own.
    await session.rows('BEGIN READ ONLY');
    const tables = await session.rows<TableCounts & { oid: string; table: string; kb: number; dead: number }>(
      `SELECT s.relid::text AS oid, ${qualifiedName('s.schemaname', 's.relname')} AS table,
         (pg_table_size(s.relid) / 1024)::float8 AS kb, s.n_dead_tup::float8 AS dead,
         ${selectList(tableCounters, await columnsOf(session, 'pg_stat_user_tables'))}
       FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid ORDER BY c.relpages DESC LIMIT ${MOST_READ}`,
    );
    const indexes = await session.rows<IndexCounts & { oid: string; table: string; index: string; kb: number }>(
      `SELECT s.indexrelid::text AS oid, ${qualifiedName('s.schemaname', 's.relname')} AS table, s.indexrelname AS index,
         (pg_relation_size(s.indexrelid) / 1024)::float8 AS kb, ${selectList(indexCounters, await columnsOf(session, 'pg_stat_user_indexes'))}
       FROM pg_stat_user_indexes s JOIN pg_class c ON c.oid = s.indexrelid ORDER BY c.relpages DESC LIMIT ${MOST_READ}`,
    );
    await session.rows('COMMIT');
    return {
      tables: new Map(
        tables.map(({ oid, table, kb, dead, ...counts }) => [oid, { table, index: null, kb, deadRows: dead, counts }]),
      ),
      indexes: new Map(
        indexes.map(({ oid, table, index, kb, ...counts }) => [oid, { table, index, kb, deadRows: null, counts }]),
      ),
    };
  });
}

function qualifiedName(schema: string, relation: string): string {
  return `CASE ${schema} WHEN 'public' THEN ${relation}::text ELSE ${schema} || '.' || ${relation} END`;
}

function countedSince<Metric extends string>(
  before: ReadonlyMap<string, Relation<Counts<Metric>>>,
  after: ReadonlyMap<string, Relation<Counts<Metric>>>,
): readonly Relation<Counts<Metric>>[] {
  return [...after].map(([oid, relation]) => {
    const earlier = before.get(oid);
    return earlier === undefined ? relation : { ...relation, counts: countsBetween(earlier.counts, relation.counts) };
  });
}

function sizesOf(
  tables: readonly Relation<TableCounts>[],
  indexes: readonly Relation<IndexCounts>[],
): Record<(typeof sizes)[number], number> {
  return {
    dead_rows: sum(tables.map(({ deadRows }) => deadRows)),
    tables_kb: sum(tables.map(({ kb }) => kb)),
    indexes_kb: sum(indexes.map(({ kb }) => kb)),
  };
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((all, count) => all + (count ?? 0), 0);
}

type UseRow = Readonly<Record<string, string | number | null>>;

/** The tables that were used, and every index of theirs: one that nobody uses costs as much as the others. */
function rowsOf(tables: readonly Relation<TableCounts>[], indexes: readonly Relation<IndexCounts>[]): UseRow[] {
  const uses = ({ counts }: Relation<TableCounts>): number => sum(Object.values<number | null>(counts));
  const used = tables
    .filter((table) => uses(table) > 0)
    .sort((a, b) => uses(b) - uses(a))
    .slice(0, MOST_TOLD);
  const names = new Set(used.map(({ table }) => table));
  const usedIndexes = indexes
    .filter(({ table }) => names.has(table))
    .sort((a, b) => (b.counts.index_scans ?? 0) - (a.counts.index_scans ?? 0))
    .slice(0, 2 * MOST_TOLD);
  return [...used, ...usedIndexes].map(({ table, index, kb, deadRows, counts }) => ({
    table,
    index,
    kb,
    dead_rows: deadRows,
    ...counts,
  }));
}
