import { loadLevel } from './load-record.ts';
import { outcomesRecord } from './outcomes.ts';
import { amount, byName, count, fields, list, oneOf, optional, text, type ValueOf } from './shape.ts';

/** An arm's warm-up. Its requests are never counted. */
export interface WarmupRecord extends ValueOf<typeof warmupRecord> {}
export const warmupRecord = fields({
  type: oneOf('warmup'),
  round: count,
  arm: text,
  load: loadLevel,
  /** Under load: the sum of its turns. */
  durationMs: amount,
  outcomes: byName(count),
  /** Answers as expected in each turn. */
  turns: list(amount),
  /** How long each turn was. Absent where all are alike. */
  turnsMs: optional(list(amount)),
  /** How many requests it was to serve; absent where a time was wanted. */
  wanted: optional(count),
});

/**
 * The outcome of load that counts for no slice: warming up, trying turns, a pass that was made again. Its failures are
 * failures all the same.
 */
export interface UncountedRecord extends ValueOf<typeof uncountedRecord> {}
export const uncountedRecord = fields({
  type: oneOf('uncounted'),
  round: count,
  arm: text,
  load: loadLevel,
  purpose: oneOf('warm-up', 'trial', 'repeated pass'),
  /** Under load: the sum of its turns. */
  durationMs: amount,
  outcomes: outcomesRecord,
  /** Answers as expected. */
  ok: count,
});

/** A service that did not end by SIGTERM and was killed; written only then. */
export interface KilledRecord extends ValueOf<typeof killedRecord> {}
export const killedRecord = fields({
  type: oneOf('killed'),
  round: count,
  arm: text,
  variant: text,
  /** How long it was waited for. */
  afterMs: amount,
  /** Which of its processes, by name, where they are several. */
  processes: optional(list(text)),
});
