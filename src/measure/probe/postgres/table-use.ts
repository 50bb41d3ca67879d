import { warnOnce } from '../warn-once.ts';
import { type ColumnChoices, type Counts, countsBetween, known, ratio, selectList } from './column-choices.ts';
import { beginDifference, postgresProbe } from './postgres-probe.ts';
import { columnsOf, withSqlSession } from './sql-session.ts';

/** The counters of pg_stat_user_tables. */
export const tableColumns = {
  seq_scans: ['seq_scan'],
  seq_rows: ['seq_tup_read'],
  index_scans: ['idx_scan'],
  inserted: ['n_tup_ins'],
  updated: ['n_tup_upd'],
  hot_updated: ['n_tup_hot_upd'],
  deleted: ['n_tup_del'],
  dead_rows: ['n_dead_tup'],
  vacuums: ['vacuum_count + autovacuum_count'],
  analyzes: ['analyze_count + autoanalyze_count'],
} as const satisfies ColumnChoices;

/** The counters of pg_stat_user_indexes. */
export const indexColumns = {
  index_scans: ['idx_scan'],
  index_rows: ['idx_tup_read'],
} as const satisfies ColumnChoices;

type TableCounts = Counts<keyof typeof tableColumns>;
type IndexCounts = Counts<keyof typeof indexColumns>;
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

/** The largest tables are read, and the most used of them reported: a user's schema may have thousands. */
const MOST_READ = 500;
const MOST_TOLD = 40;

/**
 * How the arm's tables and indexes are used, and how large they are. Sessions report their counts up to a second late, so
 * the values are ratios, events and sizes; the counts stand in the rows, for comparing tables with each other.
 * The connection to the arm's database is opened for each reading, before and after the load: two transactions a slice.
 */
export const tableUse = postgresProbe('table-use', async ({ postgres, onWarning }) => ({
  begin: beginDifference<UseReading>({
    attempt: warnOnce('table-use', onWarning),
    read: ({ database }) => readUse(postgres.adminUrl(database)),
    tell(before, after) {
      const tables = countedSince(before.tables, after.tables);
      const indexes = countedSince(before.indexes, after.indexes);
      return { values: valuesOf(tables, indexes), rows: rowsOf(tables, indexes) };
    },
  }),
  close: async () => {},
}));

function readUse(url: string): Promise<UseReading> {
  return withSqlSession(url, async (session) => {
    // One transaction: each is counted among the arm's own.
    await session.rows('BEGIN READ ONLY');
    const tables = await session.rows<TableCounts & { oid: string; table: string; kb: number; dead: number }>(
      `SELECT s.relid::text AS oid, ${qualifiedName('s.schemaname', 's.relname')} AS table,
         (pg_table_size(s.relid) / 1024)::float8 AS kb, s.n_dead_tup::float8 AS dead,
         ${selectList(tableColumns, await columnsOf(session, 'pg_stat_user_tables'))}
       FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid ORDER BY c.relpages DESC LIMIT ${MOST_READ}`,
    );
    const indexes = await session.rows<IndexCounts & { oid: string; table: string; index: string; kb: number }>(
      `SELECT s.indexrelid::text AS oid, ${qualifiedName('s.schemaname', 's.relname')} AS table, s.indexrelname AS index,
         (pg_relation_size(s.indexrelid) / 1024)::float8 AS kb, ${selectList(indexColumns, await columnsOf(session, 'pg_stat_user_indexes'))}
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

function valuesOf(
  tables: readonly Relation<TableCounts>[],
  indexes: readonly Relation<IndexCounts>[],
): Readonly<Record<string, number>> {
  const total = (metric: keyof TableCounts): number =>
    tables.reduce((sum, { counts }) => sum + (counts[metric] ?? 0), 0);
  const kb = (relations: readonly { readonly kb: number }[]): number => relations.reduce((sum, { kb }) => sum + kb, 0);
  return known({
    seq_scan_share: ratio(total('seq_scans'), total('seq_scans') + total('index_scans')),
    seq_rows_per_seq_scan: ratio(total('seq_rows'), total('seq_scans')),
    hot_update_share: ratio(total('hot_updated'), total('updated')),
    dead_rows: tables.reduce((sum, { deadRows }) => sum + (deadRows ?? 0), 0),
    vacuums: total('vacuums'),
    analyzes: total('analyzes'),
    tables_kb: kb(tables),
    indexes_kb: kb(indexes),
  });
}

type UseRow = Readonly<Record<string, string | number | null>>;

/** The tables that were used, and every index of theirs: one that nobody uses costs as much as the others. */
function rowsOf(tables: readonly Relation<TableCounts>[], indexes: readonly Relation<IndexCounts>[]): UseRow[] {
  const uses = ({ counts }: Relation<TableCounts>): number =>
    Object.values<number | null>(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
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
