/** Rows that were written in the databases of a server since its statistics began: in the run's own, and in all others. */
export interface RowsWritten {
  readonly own: number;
  readonly others: number;
  /** True while another database has a transaction that writes since a second or longer. Its rows count when it ends. */
  readonly othersWrite: boolean;
}

/** `$1`: how the names of the run's databases begin. */
export const ROWS_WRITTEN_SQL = `
  SELECT coalesce(sum(n) FILTER (WHERE own), 0)::float8 AS own, coalesce(sum(n) FILTER (WHERE NOT own), 0)::float8 AS others,
    EXISTS (
      SELECT FROM pg_stat_activity
      WHERE NOT starts_with(datname, $1) AND backend_xid IS NOT NULL AND xact_start < clock_timestamp() - interval '1 s'
        AND (state = 'active' OR state_change > clock_timestamp() - interval '10 s')
    ) AS "othersWrite"
  FROM (
    SELECT starts_with(datname, $1) AS own, tup_inserted + tup_updated + tup_deleted AS n
    FROM pg_stat_database WHERE datname IS NOT NULL
  ) AS written`;

/** From this share of all rows on, what others write matters beside a margin of 1 %. */
const MOST_SHARE = 0.01;

/** True if other databases wrote so much between two readings that the server's log is not the run's alone. */
export function isLogShared(from: RowsWritten | null, to: RowsWritten | null): boolean {
  if (from === null || to === null) return false;
  const others = Math.max(0, to.others - from.others);
  const own = Math.max(0, to.own - from.own);
  return from.othersWrite || to.othersWrite || others > MOST_SHARE * (own + others);
}
