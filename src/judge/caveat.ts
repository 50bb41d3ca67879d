/** Why a variant's cell looks better than it is: requests failed, or documents of a bulk load were lost. */
export type Caveat =
  | NotSustained
  | NotKept
  | MoreFailures
  | MoreUncountedFailures
  | ControlFailsMore
  | ControlFailsMoreUncounted
  /** A smaller share of the data set was accepted than by the control, or less than load.maxFailedRate allows. */
  | {
      readonly kind: 'lost-documents';
      readonly loaded: number;
      readonly documents: number;
      readonly controlLoaded: number;
      readonly controlDocuments: number;
    }
  /** The database does not hold what was accepted. */
  | OwnDatabaseDiffers
  /** A smaller share of the data set was accepted by the control than by the variant or by all others together, or less than load.maxFailedRate allows. */
  | {
      readonly kind: 'control-lost-documents';
      readonly loaded: number;
      readonly documents: number;
      readonly othersLoaded: number;
      readonly othersDocuments: number;
    }
  | ControlDatabaseDiffers;

interface OwnDatabaseDiffers extends DatabaseDiffers {
  readonly kind: 'database-differs';
}

interface ControlDatabaseDiffers extends DatabaseDiffers {
  readonly kind: 'control-database-differs';
}

/** Documents by which a database differs from what was accepted. */
export interface DatabaseDiffers {
  readonly missing: number;
  readonly unexpected: number;
  readonly doubled: number;
  readonly dangling: number;
}

/** The service does not sustain the rate: this many requests were due and not sent, since load.inFlight others waited. */
export interface NotSustained {
  readonly kind: 'not-sustained';
  readonly unsent: number;
  readonly requests: number;
  /** Answers as expected. */
  readonly okPerS: number;
}

/** A limit of the search that it is not shown to keep. */
export interface NotKept {
  readonly kind: 'not-kept';
  readonly metric: string;
  readonly most: number;
  /** Bounds of the metric's mean over rounds: low, high. Both are above a limit that is broken. Null where they are not known. */
  readonly range: readonly [number, number] | null;
  /** Set where a percentile has too few answers for bounds as yet: how many there are, and how many it needs. */
  readonly few?: { readonly samples: number; readonly needed: number };
}

/** No setting sustains the rate without failures, or keeps all limits of a search: `nearest` misses them by least. */
export interface NoneSustained {
  readonly kind: 'none-sustained';
  readonly nearest?: NearLimits;
}

/** No setting can be recommended, since these limits have no bounds for any. */
export interface LimitsUnknown {
  readonly kind: 'limits-unknown';
  readonly limits: readonly NotKept[];
}

/** A setting and the limits that it is not shown to keep. */
export interface NearLimits {
  readonly variant: string;
  readonly notKept: readonly NotKept[];
}

/** Clearly more of its counted requests failed than of the control's. */
export interface MoreFailures extends FailedShares {
  readonly kind: 'more-failures';
}

/**
 * Clearly more failures among requests that nothing else counts: of the warm-up, the first part of turns, and what was
 * under way at their ends.
 */
interface MoreUncountedFailures extends FailedShares {
  readonly kind: 'more-uncounted-failures';
}

export interface FailedShares {
  readonly failed: number;
  readonly requests: number;
  readonly controlFailed: number;
  readonly controlRequests: number;
}

/** Clearly more of the control's counted requests failed than of all other variants' together. */
interface ControlFailsMore extends OthersShares {
  readonly kind: 'control-fails-more';
}

/** Clearly more failures of the control among requests that nothing else counts. */
interface ControlFailsMoreUncounted extends OthersShares {
  readonly kind: 'control-fails-more-uncounted';
}

export interface OthersShares {
  readonly failed: number;
  readonly requests: number;
  readonly othersFailed: number;
  readonly othersRequests: number;
}
