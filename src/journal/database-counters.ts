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
export type DatabaseCounters = Readonly<Record<DatabaseColumn, number>>;
