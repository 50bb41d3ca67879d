/** Data sets that are sent to a service once. */
import { requestValue } from './request-value.ts';
import { sampleData } from './sample.ts';
import { amount, byKind, byName, count, fields, flag, oneOf, optional, text, type ValueOf } from './shape.ts';

/** Requests of a user's own, sent once each. File names are absolute. */
const ownBulk = {
  /** `options` are handed to the module. */
  module: fields({ kind: oneOf('module'), module: text, options: optional(byName(requestValue)) }),
  /** A request a line; with `path` the line is the body of a POST to it. */
  file: fields({ kind: oneOf('file'), file: text, path: optional(text) }),
};

/** The count that a database should have after a bulk load; without `equals` as many as were accepted. */
export interface BulkCountCheck extends ValueOf<typeof bulkCountCheck> {}
const bulkCountCheck = fields({ sql: text, equals: optional(count) });

/** A whole data set, sent request by request, none before those that it comes after. */
export interface BulkSpec extends ValueOf<typeof bulkSpec> {}
export const bulkSpec = fields({
  dataset: byKind({ ...sampleData, ...ownBulk }),
  /** Absent where the data set brings its check, or there is none. */
  check: optional(bulkCountCheck),
  connections: count,
  /** Requests that wait for an answer at any time, at most. */
  inFlight: count,
  /** How often a document that was not accepted is sent again. */
  retries: count,
  /** The pause before the first repeat; it doubles with each, and is spread at random by up to half. */
  backoffMs: amount,
  /** The data set is loaded once unmeasured before, so that every measured write is an update. */
  update: flag,
});
