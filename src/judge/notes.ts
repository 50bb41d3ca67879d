import type { HousekeepingWork } from '../journal/postgres/housekeeping.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import type { Flaky, MeanDiffers } from './odd-starts.ts';
import type { RunNote } from './run-notes.ts';

export type * from './run-notes.ts';

/**
 * What a reader must know beside a number, as a fact with its numbers. Notes are made here and worded in
 * src/report/words/note-words.ts alone. A kind is never renamed or given another meaning without a new version of the summary.
 */
export type Note = ComparisonNote | BetweenNote | RecommendationNote | SessionNote | RunNote;

/** A remark on one comparison: why it has no percentage or no verdict, or how long one would take. */
export type JudgementNote =
  /** No round has a value for both sides. */
  | { readonly kind: 'not-measured' }
  /** A percentile needs so many answers of each arm; the one with the fewest had `samples`. A mean needs one in every round. */
  | { readonly kind: 'few-samples'; readonly needed: number; readonly samples: number }
  /** A quick run gives no verdicts. */
  | { readonly kind: 'quick' }
  /** Verdicts need more rounds. */
  | { readonly kind: 'few-rounds'; readonly rounds: number; readonly needed: number }
  /** Nothing happened on either side, in any round. */
  | { readonly kind: 'both-zero' }
  /** The control had none of it, so there is no percentage. */
  | { readonly kind: 'from-zero'; readonly value: number }
  /** One side had none of it in so many of the rounds, so there is no ratio of these. */
  | { readonly kind: 'zeros'; readonly zeros: number; readonly rounds: number }
  /** So few of these events on both sides that a difference is the luck of a few. */
  | { readonly kind: 'rare' }
  /** So much of it, in percent, goes on without any request: a difference may be one of speed. */
  | { readonly kind: 'follows-time'; readonly sharePercent: number }
  /** How much of it goes on without any request is not known. */
  | { readonly kind: 'idle-unknown' }
  | OutlastTurns
  /** Switched live: so much carries over from turn to turn that the verdict would not stand. */
  | { readonly kind: 'carry-over'; readonly percent: number }
  | LittleHousekeeping
  /** Machines show different changes: it is judged by the machines' means. `p`: the chance of that where they have the same. */
  | { readonly kind: 'machines-disagree'; readonly machines: number; readonly p: number }
  /** The variant, or what it is compared with, was not measured any more after that round: it was shown to be worse than another. */
  | { readonly kind: 'left'; readonly after: number }
  | Flaky
  | MeanDiffers
  | ControlApart
  | RoundsNeeded;

/**
 * Answers outlast turns: the change by what was sent and by what came within the turns differ. The interval holds both.
 * `byTurnsPercent`: the change by the other count; null where that is not known for the metric.
 */
export interface OutlastTurns {
  readonly kind: 'outlast-turns';
  readonly byTurnsPercent: number | null;
}

/** The two differ by settings that show only in Postgres's own work, and an arm had too little of it in the passes that count. */
export interface LittleHousekeeping {
  readonly kind: 'little-housekeeping';
  readonly work: HousekeepingWork;
  readonly needed: number;
  /** The fewest of an arm of either side; null where it has turned autovacuum off, and needs none. */
  readonly variant: number | null;
  readonly control: number | null;
}

/**
 * All variants of the load level differ from the control the same way, most of them by about so much, although they change
 * unlike things: so it is the control that is apart, and no verdict of the metric stands.
 */
export interface ControlApart {
  readonly kind: 'control-apart';
  /** The usual change, in percent. */
  readonly percent: number;
  readonly variants: number;
}

/** Noise: how many rounds a verdict would take. Null: more than `most`, the last look. */
export interface RoundsNeeded {
  readonly kind: 'rounds-needed';
  readonly rounds: number | null;
  readonly most: number;
}

/** Why a variant's cell looks better than it is: requests failed, or documents of a bulk load were lost. */
export type Caveat =
  | NotBorne
  | MoreFailures
  | MoreUncountedFailures
  | ControlFailsMore
  | ControlFailsMoreUncounted
  /** A smaller share of the data set was accepted than by the control. */
  | {
      readonly kind: 'lost-documents';
      readonly loaded: number;
      readonly documents: number;
      readonly controlLoaded: number;
      readonly controlDocuments: number;
    }
  /** The database does not hold what was accepted. */
  | {
      readonly kind: 'database-differs';
      readonly missing: number;
      readonly unexpected: number;
      readonly doubled: number;
      readonly dangling: number;
    };

/** The service does not bear the rate: so many of the requests that were due were not sent, since load.inFlight others waited. */
export interface NotBorne {
  readonly kind: 'not-borne';
  readonly unsent: number;
  readonly requests: number;
  /** Answers as expected. */
  readonly okPerS: number;
}

/** Clearly more of its counted requests failed than of the control's. */
export interface MoreFailures extends FailedShares {
  readonly kind: 'more-failures';
}

/** The same of requests that nothing else counts: of the warm-up, the first part of turns, and what was under way at their ends. */
export interface MoreUncountedFailures extends FailedShares {
  readonly kind: 'more-uncounted-failures';
}

export interface FailedShares {
  readonly failed: number;
  readonly requests: number;
  readonly controlFailed: number;
  readonly controlRequests: number;
}

/** Clearly more of the control's counted requests failed than of all other variants' together. */
export interface ControlFailsMore extends OthersShares {
  readonly kind: 'control-fails-more';
}

/** The same of requests that nothing else counts. */
export interface ControlFailsMoreUncounted extends OthersShares {
  readonly kind: 'control-fails-more-uncounted';
}

export interface OthersShares {
  readonly failed: number;
  readonly requests: number;
  readonly othersFailed: number;
  readonly othersRequests: number;
}

/** Clearly more slices of one side are void than of the other: what is left out unequally is a selection. */
export interface UnequalVoiding {
  readonly kind: 'unequal-voiding';
  readonly voided: number;
  readonly slices: number;
  readonly controlVoided: number;
  readonly controlSlices: number;
}

export type ComparisonNote =
  | JudgementNote
  | Caveat
  | UnequalVoiding
  /** So many of the slices of a side had not answered all their requests when their limit came: the others are a selection. */
  | { readonly kind: 'not-through'; readonly slices: number; readonly of: number }
  /** A bulk load that lost documents had less to do: being faster says nothing. */
  | { readonly kind: 'faster-by-loss' }
  /** The session is unfit, so there is no verdict. */
  | { readonly kind: 'unfit' };

/** A remark on a difference between runs: mostly why it has no verdict. */
export type BetweenNote =
  | JudgementNote
  | MoreFailures
  /** Runs share no rounds: what the machine did meanwhile cannot be told from the change. */
  | { readonly kind: 'different-sessions'; readonly sessions: number; readonly needed: number }
  /** There are runs enough, but they were not taken in turn. */
  | { readonly kind: 'not-in-turn' }
  /** A run gives no interval for it: why. */
  | { readonly kind: 'no-interval'; readonly side: string; readonly notes: readonly ComparisonNote[] }
  | { readonly kind: 'unfit-session' }
  | { readonly kind: 'quick-session' }
  /** In the runs of that side the variant looks better than it is, or turns hid waits. */
  | {
      readonly kind: 'caveats';
      readonly side: string;
      readonly notes: readonly (Caveat | UnequalVoiding | OutlastTurns)[];
    };

/** Why no setting can be recommended. */
export type RecommendationNote =
  /** The scenario has no variant but the control. */
  | { readonly kind: 'no-variants' }
  | { readonly kind: 'unfit' }
  | { readonly kind: 'quick' }
  /** No setting bears the rate without failures. */
  | { readonly kind: 'none-borne' }
  /** How many rounds it would take to settle the undecided ones. */
  | RoundsNeeded;

/**
 * `supports`: it bears so much. `not-reached`: it keeps all limits at the largest load that shows all of them. `below`: it
 * breaks one at the smallest load that shows that. `unstable`: rounds tell loads too far apart, or more load does not make it
 * worse. `generator`: the load generator was at its own limit first, or the machine let it wait. `not-measured`: no slice
 * shows the limits.
 */
export type CapacityOutcome = 'supports' | 'not-reached' | 'below' | 'unstable' | 'generator' | 'not-measured';

/** Why a session is unfit. */
export type SessionNote =
  | { readonly kind: 'no-rounds' }
  | TooManyVoid
  /** A/A: the control's second arm differs from its first in 2xx/s, or in the metric that the run is about, by this interval in percent. */
  | {
      readonly kind: 'control-differs';
      readonly load: LoadLevel;
      readonly interval: readonly [number, number];
      readonly metric?: string;
    }
  /** The same of how much it bears. */
  | { readonly kind: 'control-capacity-differs'; readonly interval: readonly [number, number] }
  /** How much load the control supports is not known, or of no other variant: the `outcomes` of these arms. */
  | { readonly kind: 'no-capacity'; readonly outcomes: readonly CapacityOutcome[] };

export interface TooManyVoid {
  readonly kind: 'too-many-void';
  readonly voided: number;
  readonly slices: number;
  /** Most frequent first. A slice may have several reasons. */
  readonly byReason: Readonly<Record<string, number>>;
}
