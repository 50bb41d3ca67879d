import type { VoidReason } from '../journal/records.ts';
import type { ShortRounds } from '../journal/run/short-rounds.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';

/**
 * `supports`: it sustains this load. `not-reached`: it keeps all limits at the largest load.
 * `below`: it breaks one at the smallest load that shows it. `unstable`: rounds differ too much in the load, or more
 * load does not make it worse. `generator`: the load generator was at its own limit first, or the machine let it wait.
 * `not-measured`: no slice shows where the limits are.
 */
export type CapacityOutcome = 'supports' | 'not-reached' | 'below' | 'unstable' | 'generator' | 'not-measured';

/** Why a session is unfit, or a load level of it. */
export type SessionNote = { readonly kind: 'no-rounds' } | TooManyVoid | NoCapacity | FewLoaded;

/** Every variant lost more documents of its bulk loads than load.maxFailedRate allows: no time is of the data set. */
export interface FewLoaded {
  readonly kind: 'few-loaded';
  readonly load: LoadLevel;
  readonly loaded: number;
  readonly documents: number;
}

/** How much load the control supports is not known, or of no other variant: these `variants`, and the `outcomes` of their arms. */
export interface NoCapacity {
  readonly kind: 'no-capacity';
  readonly variants: readonly string[];
  readonly outcomes: readonly CapacityOutcome[];
  /** Absent where that is not why. */
  readonly tooFew?: TooFewAnswers;
}

/** Slices have too few answers for the percentile of a limit. */
export interface TooFewAnswers {
  /** The name of the limit. */
  readonly metric: string;
  /** Answers of the slice that had most, and how many the percentile needs. */
  readonly answers: number;
  readonly needed: number;
  /** A `load.slice` that should have as many, in ms. */
  readonly sliceMs: number;
}

export interface TooManyVoid {
  readonly kind: 'too-many-void';
  /** Where they were; absent where it is of the whole session. */
  readonly load?: LoadLevel;
  readonly voided: number;
  readonly slices: number;
  /** Most frequent first. A slice may have several reasons. */
  readonly byReason: Readonly<Record<string, number>>;
  /** Where slices were discarded for failed requests; absent otherwise. */
  readonly failed?: FailedRequests;
}

/** How many of the requests of a load level failed, discarded slices included. */
export interface FailedRequests {
  readonly failed: number;
  readonly requests: number;
  /** Outcome of more than half of them: an unexpected status such as `429`, `errors` or `timeouts`. Absent where there is none. */
  readonly mostly?: string;
}

/** Databases of others wrote rows on the server in some slices, so these have no WAL bytes. */
export interface OthersWrote {
  readonly kind: 'others-wrote';
  readonly load: LoadLevel;
  readonly slices: number;
  readonly of: number;
}

/** Facts on rounds. */
export type RoundsNote = ShortRoundsNote | OthersWrote;

/** Rounds were planned shorter than usual, so that the budget had room for as many as the answer needs. */
export interface ShortRoundsNote extends ShortRounds {
  readonly kind: 'short-rounds';
}

/** One side ran first in nearly all pairs of runs: drift of the machine looks like a change of the other side. */
export interface OneSideFirst {
  readonly kind: 'one-side-first';
  readonly side: string;
  /** Pairs in which it ran first, */
  readonly pairs: number;
  /** of so many. */
  readonly among: number;
}

/** In this many rounds some arm was warmed for as long as there was time, by fewer requests than the others; `requests`: the fewest, of this arm. */
export interface ShortWarmup {
  readonly kind: 'short-warmup';
  readonly arm: string;
  readonly load: LoadLevel;
  /** Set where pgsweep had used up its CPU limit. */
  readonly throttled?: true;
  readonly requests: number;
  readonly wanted: number;
  readonly rounds: number;
  readonly of: number;
}

/** No round has a value for both sides. `discarded`: why all slices of the variant are, or of the `control`. */
export interface NotMeasured {
  readonly kind: 'not-measured';
  readonly discarded?: readonly VoidReason[];
  readonly control?: true;
}
