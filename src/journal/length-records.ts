import { loadLevel } from './load-record.ts';
import { type BuiltInWorkload, builtInWorkload } from './sample.ts';
import type { LoadLevel } from './scenario-record.ts';
import { amount, count, fields, list, number, oneOf, optional, orNull, type ValueOf } from './shape.ts';

/**
 * How long an arm is warmed: by a number of requests, or where they would take longer than a time, for that time. Arms that are
 * one process are warmed by the requests of all of them.
 */
export interface WarmupLength extends ValueOf<typeof warmupLength> {}
const warmupLength = fields({
  /** Set where load levels have their own workloads, and each has its own warm-up. */
  workload: optional(builtInWorkload),
  /** Null where the scenario names a time, which is then `mostMs`. */
  requests: orNull(amount),
  /** The longest that it may take, in ms. */
  mostMs: amount,
});

/** The noise of a load level, from a journal's rounds. Values are variances of ln(answers a second) of one arm in one round. */
export interface LevelSpread {
  readonly load: LoadLevel;
  /** Variance within a start, for a slice of one second; for one of t seconds divide it by t. Null where there are no turns to estimate it from. */
  readonly withinPerS: number | null;
  /** Variance between starts: the variance between rounds less the part within; null for fewer than two rounds. Chance may make it negative. */
  readonly between: { readonly variance: number; readonly df: number } | null;
  /** Counted answers per second of slice, of the slowest arm in the last round. */
  readonly countedPerS: number;
  /** Null where the load is no closed loop, and so has no busy times. */
  readonly waits: TurnWaits | null;
}

/** Long waits that the ends of turns cut off under a load level, by the arm that needs the longest turns. */
export interface TurnWaits {
  /** The longest latency of any answer, in ms. */
  readonly longestMs: number;
  /** How long the last turns were, in ms. */
  readonly turnMs: number;
  /**
   * How many ms of each turn its ends hide; 0 where noise alone may explain them. It is a share times the counted length of a turn.
   * The share is how far the rate of all requests sent in turns differs from the rate of those answered within them, or how far one
   * kind's share of the requests differs between the two: the larger.
   */
  readonly hiddenMs: number;
}

/** How warm the arms of a run were when their first warm-up for a workload ended. */
export interface WarmupSpread {
  /** Set where load levels have their own workloads. */
  readonly workload?: BuiltInWorkload;
  /** Requests served by the arm that served fewest. */
  readonly requests: number;
  /** ln(rate in the last third of the warm-up / rate in the middle third), all arms together; null where turns were too few. */
  readonly growth: number | null;
  /** Requests a second of the slowest arm. */
  readonly perS: number;
}

/** How much the common rate of all arms still grew over a workload's slices, in the rounds since its warm-up got its last length. */
export interface WorkloadTrend {
  /** Set where load levels have their own workloads. */
  readonly workload?: BuiltInWorkload;
  readonly passes: number;
  /** ln(rate at the end of a slice / rate at its beginning): the mean of passes. */
  readonly growth: number;
  /** The sum of squares around that mean. */
  readonly squares: number;
  /** Requests that an arm served in a slice, on average. */
  readonly sliceRequests: number;
  /** Requests a second of the slowest arm, while it was warmed. */
  readonly perS: number;
}

/** The facts that lengths are chosen by: how much arms scatter and how fast they are, never which of them is faster. */
export interface Spreads {
  readonly levels: readonly LevelSpread[];
  /** One for each workload; empty where no arm was warmed. */
  readonly warmups: readonly WarmupSpread[];
  /** One for each workload whose warm-up is counted in requests; absent as none. */
  readonly trends?: readonly WorkloadTrend[];
  /** Levels that are found (`load.capacity`), all of them together. */
  readonly found?: TurnWaits;
}

/** Bounds for later rounds, where turns hid waits: no turn is shorter than `leastTurnMs`, and a whole slice lasts many times `longestMs`. */
export interface HiddenWaits extends ValueOf<typeof hiddenWaits> {}
const hiddenWaits = fields({ leastTurnMs: amount, longestMs: amount });

/** How long warm-up and slices are from the next round on, alike in all arms, and what that was chosen by. */
export interface LengthsRecord extends ValueOf<typeof lengthsRecord> {}
export const lengthsRecord = fields({
  type: oneOf('lengths'),
  /** After this round. */
  round: count,
  /** One for each workload; empty where no arm is warmed. */
  warmups: list(warmupLength),
  /** The time that a round is expected to take besides its slices: starts, warm-up, stops. */
  besideMs: number,
  levels: list(
    fields({
      load: loadLevel,
      sliceMs: amount,
      withinPerS: orNull(number),
      /** The variance between starts that was used: that of the rounds, weighed against that of recordings. */
      between: number,
      leastTurnMs: optional(amount),
      longestMs: optional(amount),
    }),
  ),
  /** Levels that are found, together; absent where they hid no waits. */
  found: optional(hiddenWaits),
  /** The fewest turns of a slice; absent where they are as many as usual. */
  fewestTurns: optional(count),
});
