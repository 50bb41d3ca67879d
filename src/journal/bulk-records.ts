/** The result of a bulk load. */
export interface BulkRecord {
  /** Documents of the data set. */
  readonly documents: number;
  /** Documents that were accepted, at once or after repeats. */
  readonly loaded: number;
  /** Requests beyond the first of each document. */
  readonly repeats: number;
  /** Documents that were never accepted, by the status ('409') or 'error' or 'timeout' of their last answer. */
  readonly failed: Readonly<Record<string, number>>;
  readonly byResource: Readonly<Record<string, { readonly documents: number; readonly loaded: number }>>;
  /** From the first request to the last answer. */
  readonly totalMs: number;
}

/** The content of an arm's database after its bulk load; none where its tables are not known. */
export interface BulkCheckRecord {
  readonly type: 'bulk-check';
  readonly round: number;
  readonly arm: string;
  readonly check: BulkCheck;
}

/** Counts against the data set, once a load has ended; all 0 where nothing was lost or doubled. */
export interface BulkCheck {
  /** Accepted documents that are not there. */
  readonly missing: number;
  /** Documents that are there and were not accepted. */
  readonly unexpected: number;
  /** Documents or aliases that stand twice. */
  readonly doubled: number;
  /** References to a document that is not there. */
  readonly dangling: number;
}
