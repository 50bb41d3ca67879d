import { count, fields, list, number, oneOf, text, type ValueOf } from './shape.ts';

/** One thing that a variant changes in its database. */
export interface AppliedTreatment extends ValueOf<typeof appliedTreatment> {}
export const appliedTreatment = fields({
  /** `dropIndex`, `createIndex`, `hideIndex`, `setting`, `sql`, `server`, `request`, or the name of a newer kind. */
  kind: text,
  /** The index, the setting, or the statement. */
  name: text,
  /** For people, as the catalog says: `synchronous_commit = off`, `48 kB`. */
  found: text,
});

export interface IndexUse extends ValueOf<typeof indexUse> {}
const indexUse = fields({
  table: text,
  name: text,
  bytes: number,
  /** pg_stat_user_indexes.idx_scan over the arm's life. */
  scans: number,
});

/** An arm's indexes as its service left them. */
export interface IndexesRecord extends ValueOf<typeof indexesRecord> {}
export const indexesRecord = fields({ type: oneOf('indexes'), round: count, arm: text, indexes: list(indexUse) });
