/** One thing that a variant changes in its database. */
export interface AppliedTreatment {
  /** `dropIndex`, `createIndex`, `hideIndex`, `setting`, `sql`, `server` or `request`, and those of kinds to come. */
  readonly kind: string;
  /** The index, the setting, or the statement. */
  readonly name: string;
  /** For people, as the catalog says: `synchronous_commit = off`, `48 kB`. */
  readonly found: string;
}

/** An arm's indexes as its service left them. */
export interface IndexesRecord {
  readonly type: 'indexes';
  readonly round: number;
  readonly arm: string;
  readonly indexes: readonly IndexUse[];
}

export interface IndexUse {
  readonly table: string;
  readonly name: string;
  readonly bytes: number;
  /** pg_stat_user_indexes.idx_scan over the arm's life. */
  readonly scans: number;
}
