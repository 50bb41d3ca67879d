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

/** What is counted of a database between two readings. */
export type DatabaseCounters = Readonly<Record<DatabaseColumn, number>> & {
  /** Bytes of temporary files: sorts and hashes that did not fit into work_mem. */
  readonly temp_bytes?: number;
};
