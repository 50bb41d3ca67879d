import { eachOf, fields, number, optional, type ValueOf } from './shape.ts';

/** pg_stat_database's nine columns, as differences. */
export const databaseColumns = [
  'xact_commit',
  'xact_rollback',
  'blks_read',
  'blks_hit',
  'tup_returned',
  'tup_fetched',
  'tup_inserted',
  'tup_updated',
  'tup_deleted',
] as const;

export type DatabaseColumn = (typeof databaseColumns)[number];

/** Differences of a database's counters between two readings. */
export type DatabaseCounters = ValueOf<typeof databaseCounters>;
export const databaseCounters = fields({
  ...eachOf(databaseColumns, number),
  /** Bytes of temporary files: sorts and hashes that did not fit into work_mem. */
  temp_bytes: optional(number),
});
