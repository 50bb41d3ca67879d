import { amount, byName, count, fields, oneOf, text, type ValueOf } from './shape.ts';

/** The result of a bulk load. */
export interface BulkRecord extends ValueOf<typeof bulkRecord> {}
export const bulkRecord = fields({
  /** Documents of the data set. */
  documents: count,
  /** Documents that were accepted, at once or after repeats. */
  loaded: count,
  /** Requests beyond the first of each document. */
  repeats: count,
  /** Documents that were never accepted, by the status ('409') or 'error' or 'timeout' of their last answer. */
  failed: byName(count),
  byResource: byName(fields({ documents: count, loaded: count })),
  /** From the first request to the last answer. */
  totalMs: amount,
});

/** Counts against the data set, once a load has ended; all 0 where nothing was lost or doubled. */
export type BulkCheck = ValueOf<typeof bulkCheck>;
const bulkCheck = fields({
  /** Accepted documents that are not there. */
  missing: count,
  /** Documents that are there and were not accepted. */
  unexpected: count,
  /** Documents or aliases that stand twice. */
  doubled: count,
  /** References to a document that is not there. */
  dangling: count,
});

/** The content of an arm's database after its bulk load; none where its tables are not known. */
export interface BulkCheckRecord extends ValueOf<typeof bulkCheckRecord> {}
export const bulkCheckRecord = fields({ type: oneOf('bulk-check'), round: count, arm: text, check: bulkCheck });
