import { PgsweepError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import type { IndexUse } from '../../journal/treatment-records.ts';
import { quotedName, type RunSql } from './sql.ts';

/** An index as the catalog has it. */
export interface Index {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly table: string;
  /** The constraint whose index it is; null where it is of none. */
  readonly constraint: string | null;
  /** Used by queries. */
  readonly valid: boolean;
  /** Kept up by writes. */
  readonly kept: boolean;
  readonly unique: boolean;
  readonly partitioned: boolean;
  /** True of the part that a partition has of its table's index. */
  readonly ofPartition: boolean;
  readonly onExpression: boolean;
  /** `48 kB`, with those of all partitions */
  readonly size: string;
}

const LIST_SQL = `
  SELECT i.indexrelid::int8::text AS oid, n.nspname AS schema, c.relname AS name, t.relname AS "table",
    (SELECT conname FROM pg_constraint WHERE conindid = c.oid AND contype IN ('p', 'u', 'x') LIMIT 1) AS "constraint",
    i.indisvalid AS valid, i.indisready AND i.indislive AS kept, i.indisunique AS "unique", c.relkind = 'I' AS partitioned,
    EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid) AS "ofPartition", i.indexprs IS NOT NULL AS "onExpression",
    -- The tree of what has no partitions is empty.
    pg_size_pretty(coalesce((SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree(c.oid)), pg_relation_size(c.oid))) AS size
  FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
  ORDER BY n.nspname, c.relname`;

/** All indexes of the user's tables. */
export async function listIndexes(run: RunSql): Promise<Index[]> {
  const rows = await run(LIST_SQL);
  return rows.map((row) => ({
    oid: Number(row.oid),
    schema: String(row.schema),
    name: String(row.name),
    table: String(row.table),
    constraint: row.constraint === null ? null : String(row.constraint),
    valid: row.valid === true,
    kept: row.kept === true,
    unique: row.unique === true,
    partitioned: row.partitioned === true,
    ofPartition: row.ofPartition === true,
    onExpression: row.onExpression === true,
    size: String(row.size),
  }));
}

/** An index as it is now; undefined where it is gone. */
export async function indexOf(run: RunSql, { oid }: Pick<Index, 'oid'>): Promise<Index | undefined> {
  return (await listIndexes(run)).find((index) => index.oid === oid);
}

/** The index of a name, `schema.name` where the name is in several. Throws PgsweepError('scenario') with the nearest. */
export function findIndex(indexes: readonly Index[], wanted: string): Index {
  const found = indexes.filter(({ schema, name }) => wanted === name || wanted === `${schema}.${name}`);
  const [first, second] = found;
  if (second !== undefined) {
    const places = found.map(({ schema, name }) => `${schema}.${name}`).join(', ');
    throw new PgsweepError('scenario', `there are several indexes ${wanted}: ${places}`, {
      hint: 'Name the one that is meant with its schema.',
    });
  }
  if (first !== undefined) return first;
  const names = indexes.map(({ name }) => name);
  throw new PgsweepError(
    'scenario',
    `there is no index ${wanted} in the loaded database${didYouMean(wanted, names, '')}`,
    {
      hint:
        names.length === 0
          ? 'It has no index at all. Tables that the service makes when it starts are not there yet: make them by dataset.'
          : `It has ${names.join(', ')}.`,
    },
  );
}

/** An index by its full name, as SQL has it. */
export function sqlNameOf({ schema, name }: Pick<Index, 'schema' | 'name'>): string {
  return `${quotedName(schema)}.${quotedName(name)}`;
}

const USE_SQL = `
  SELECT CASE WHEN schemaname = 'public' THEN '' ELSE schemaname || '.' END || relname AS "table",
    indexrelname AS name, pg_relation_size(indexrelid)::float8 AS bytes, idx_scan::float8 AS scans
  FROM pg_stat_user_indexes
  ORDER BY schemaname, relname, indexrelname`;

/** Sizes and scans of all indexes of the user's tables, over the life of their database. */
export async function readIndexUse(run: RunSql): Promise<IndexUse[]> {
  const rows = await run(USE_SQL);
  return rows.map(({ table, name, bytes, scans }) => ({
    table: String(table),
    name: String(name),
    bytes: Number(bytes),
    scans: Number(scans),
  }));
}
