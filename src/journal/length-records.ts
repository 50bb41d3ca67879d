import { builtInWorkload, loadLevel } from './load-record.ts';
import type { BuiltInWorkload, LoadLevel } from './scenario-record.ts';
import { amount, count, fields, list, number, oneOf, optional, orNull, type ValueOf } from './shape.ts';

/** The lengths that a run sets by itself, as the journal holds them. */

/**
 * How long an arm is warmed: by a number of requests, or where they would take longer than a time, for that time. Arms that are
 * one process are warmed by the requests of all of them.
 */
export interface WarmupLength extends ValueOf<typeof warmupLength> {}
const warmupLength = fields({
  /** Set where load levels have their own workloads: each is warmed for by itself. */
  workload: optional(builtInWorkload),
  /** Null where the scenario names a time: then that long. */
  requests: orNull(amount),
  mostMs: amount,
});

/** The noise of a load level, from a journal's rounds. Variances are those of ln(answers a second) of one arm in one round. */
export interface LevelSpread {
  readonly load: LoadLevel;
  /** Within a start, for a slice of one second; of one of t seconds it is a t-th of that. Null where there are no turns to see it by. */
  readonly withinPerS: number | null;
  /** The variance between starts: that of rounds less that within; null for fewer than two rounds. By chance it may be below 0. */
  readonly between: { readonly variance: number; readonly df: number } | null;
  /** Answers that count, for each second of slice, of the slowest arm in the last round. */
  readonly countedPerS: number;
  /** Null where there are no busy times to see it by: the load is no closed loop. */
  readonly waits: TurnWaits | null;
}

/** Waits that the turns of a load level hide, from the arm that needs the longest turns. */
export interface TurnWaits {
  /** The longest latency of any answer, in ms. */
  readonly longestMs: number;
  /** How long the last turns were, in ms. */
  readonly turnMs: number;
  /**
   * How much of a turn's time its ends hide, in ms, where that is certainly more than in other arms; 0 where noise alone may explain
   * it. Of a turn that counts this many ms it is the share by which the rate of all that was sent and the rate of what came within it
   * differ, or one kind's share of the requests in both: the larger.
   */
  readonly hiddenMs: number;
}

/** How warm the arms of a run were when their first warm-up for a workload ended. */
export interface WarmupSpread {
  /** Set where load levels have their own workloads. */
  readonly workload?: BuiltInWorkload;
  /** Requests served by the arm that served fewest. */
  readonly requests: number;
  /** All arms together: ln of the rate in the last third of their time over that in the middle third; null where turns were too few. */
  readonly growth: number | null;
  /** Requests a second of the slowest arm. */
  readonly perS: number;
}

/** How the common rate of all arms still moved over slices of a workload, in the rounds that had the last length of its warm-up. */
export interface WorkloadTrend {
  /** Set where load levels have their own workloads. */
  readonly workload?: BuiltInWorkload;
  readonly passes: number;
  /** ln of the rate at the end of a slice over that at its beginning: the mean of passes, and the sum of squares around it. */
  readonly growth: number;
  readonly squares: number;
  /** Requests that an arm served in a slice, in the mean. */
  readonly sliceRequests: number;
  /** Requests a second of the slowest arm, while it was warmed. */
  readonly perS: number;
}

/** Lengths are chosen by these alone: how much arms scatter and how fast they are, never which of them is faster. */
export interface Spreads {
  readonly levels: readonly LevelSpread[];
  /** One for each workload; empty where no arm was warmed. */
  readonly warmups: readonly WarmupSpread[];
  /** One for each workload whose warm-up is counted in requests; absent as none. */
  readonly trends?: readonly WorkloadTrend[];
  /** Levels that are found (`load.capacity`), all of them together. */
  readonly found?: TurnWaits;
}

/** Set where turns hid waits: no turn of the rounds that follow is shorter, and a whole slice is many times as long as the longest latency seen. */
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
