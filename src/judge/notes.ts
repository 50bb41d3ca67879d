import type { WholeSlicesReason } from '../journal/pass-records.ts';
import type { HousekeepingWork, VariedHousekeeping } from '../journal/postgres/housekeeping.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import type { Caveat, LimitsUnknown, MoreFailures, NoneSustained } from './caveat.ts';
import type { OddNote } from './odd-starts.ts';
import type { NotMeasured, OneSideFirst, RoundsNote, SessionNote, ShortWarmup } from './session-notes.ts';

export type * from './session-notes.ts';

/**
 * A fact that a reader must know beside a number, worded in src/report/words/note-words.ts alone. A kind is never renamed
 * or given another meaning without a new version of the summary.
 */
export type Note = ComparisonNote | BetweenNote | RecommendationNote | SessionNote | RunNote;

/** A remark on one comparison: why it has no percentage or no verdict, or how long one would take. */
export type JudgementNote =
  | NotMeasured
  /** A percentile needs this many answers of each arm; the one with the fewest had `samples`. A mean needs one in every round. */
  | { readonly kind: 'few-samples'; readonly needed: number; readonly samples: number }
  /** A quick run gives no verdicts. */
  | { readonly kind: 'quick' }
  /** Verdicts need more rounds. */
  | { readonly kind: 'few-rounds'; readonly rounds: number; readonly needed: number }
  /** Nothing happened on either side, in any round. */
  | { readonly kind: 'both-zero' }
  /** The control had none of it, so there is no percentage. */
  | { readonly kind: 'from-zero'; readonly value: number }
  /** One side had none of it in this many of the rounds, so there is no ratio of these. */
  | { readonly kind: 'zeros'; readonly zeros: number; readonly rounds: number }
  /** So few of these events on both sides that a difference is the luck of a few. */
  | { readonly kind: 'rare' }
  /** This much of it, in percent, occurs without any request: a difference may only be one of speed. */
  | { readonly kind: 'follows-time'; readonly sharePercent: number }
  /** It is not known how much of it happens without any request. */
  | { readonly kind: 'idle-unknown' }
  | OutlastTurns
  /** Switched live: so much carries over from turn to turn that the verdict would not stand. */
  | { readonly kind: 'carry-over'; readonly percent: number }
  | LittleHousekeeping
  /** Not `same`: the rate of a side moves by so much over a slice or a round, the control's by that. */
  | { readonly kind: 'still-moves'; readonly percent: number; readonly controlPercent: number }
  /** Full-page images in the WAL may be up to this many percent of the change. */
  | { readonly kind: 'page-images'; readonly percent: number }
  /** Machines show different changes: it is judged by the machines' means. `p`: the chance of that where they have the same. */
  | { readonly kind: 'machines-disagree'; readonly machines: number; readonly p: number }
  /** The variant, or the `control`, was not measured any more after that round: it was shown to be worse than another, or it was `decided` which to take there. */
  | { readonly kind: 'left'; readonly after: number; readonly control?: true; readonly decided?: true }
  /** This many slices of a side had not answered all requests by their limit, or their `job` failed: the others are a selection. */
  | { readonly kind: 'not-through'; readonly slices: number; readonly of: number; readonly job?: true }
  | OddNote
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

/** All variants differ from the control alike, although they change unlike things: so the control is the odd one, and no verdict of the metric stands. */
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

/** Clearly more slices of one side are discarded than of the other: what is left out unequally is a selection. */
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
  /** A bulk load that lost documents, the variant's or the `control`'s, had less to do: being faster, or the `same`, says nothing. */
  | { readonly kind: 'faster-by-loss'; readonly control?: true; readonly same?: true }
  /** The session is unfit, so there is no verdict. */
  | { readonly kind: 'unfit' };

/** A remark on a difference between runs: mostly why it has no verdict. */
export type BetweenNote =
  | JudgementNote
  | MoreFailures
  /** Runs share no rounds, so drift of the machine cannot be distinguished from the change. */
  | { readonly kind: 'different-sessions'; readonly sessions: number; readonly needed: number }
  /** There are runs enough, but they did not alternate. */
  | { readonly kind: 'not-in-turn' }
  | OneSideFirst
  /** A run gives no interval for it: why. */
  | { readonly kind: 'no-interval'; readonly side: string; readonly notes: readonly ComparisonNote[] }
  | { readonly kind: 'unfit-session' }
  | { readonly kind: 'quick-session' }
  /** In the runs of that side the variant looks better than it is, or a verdict did not stand. */
  | { readonly kind: 'caveats'; readonly side: string; readonly notes: readonly SideCaveat[] };

type Withholding = 'outlast-turns' | 'flaky' | 'mean-differs' | 'still-moves' | 'page-images';
/** A caveat of a side: no gate passes with it. */
export type SideCaveat = Caveat | UnequalVoiding | Extract<JudgementNote, { readonly kind: Withholding }>;

/** Why no setting can be recommended. */
export type RecommendationNote =
  /** The scenario has no variant but the control. */
  | { readonly kind: 'no-variants' }
  | { readonly kind: 'unfit' }
  | { readonly kind: 'quick' }
  | NoneSustained
  | LimitsUnknown
  /** Open settings lack a verdict for another reason than noise: more rounds do not decide it. */
  | { readonly kind: 'withheld' }
  /** How many rounds it would take to settle the undecided ones. */
  | RoundsNeeded;

/** The control's two arms stay apart: something stays with an arm for a whole session, and no round tells it from a setting. So intervals are wider than rounds show. */
export interface StaysApart {
  readonly kind: 'stays-apart';
  /** The metric that the run is about; absent where that is 2xx/s. */
  readonly metric?: string;
  /** The planned control, whose arms they are, where the run is judged against another. */
  readonly planned?: string;
  /** By how much intervals are wider, in the median. */
  readonly widerPercent: number;
  /** A/A: where the control's second arm differs from its first, and by which interval in percent. Without a load level in a search for capacity. */
  readonly at: readonly { readonly load?: LoadLevel; readonly interval: readonly [number, number] }[];
}

/** Something odd about a run. */
export type RunNote =
  | OtherControl
  | StaysApart
  | RoundsNote
  /** Services that did not end by SIGTERM and were killed, with how often. */
  | { readonly kind: 'killed-services'; readonly variants: Readonly<Record<string, number>> }
  /** A variant's database was not as far away as asked, at this many looks. */
  | {
      readonly kind: 'distance-off';
      readonly variant: string;
      readonly askedMs: number;
      readonly p50Ms: number;
      readonly off: number;
      readonly looks: number;
    }
  /** The process between a variant's service and its database used so many CPUs that it may have been the limit. */
  | { readonly kind: 'link-busy'; readonly variant: string; readonly cpus: number }
  /** A warning of the journal's reader. */
  | { readonly kind: 'journal'; readonly text: string }
  /** Averages and changes include the discarded slices, since too few others are left. */
  | { readonly kind: 'void-included' }
  | ClosingServices
  /** Most requests of these that failed were answered 401, and users keep their sessions. */
  | { readonly kind: 'expired-sessions'; readonly variants: readonly string[] }
  | ByAutocannon
  | IdleInstances
  /** Under this load level arms had their time in whole slices and not in short turns, in this many of its passes. */
  | {
      readonly kind: 'whole-slices';
      readonly load: LoadLevel;
      readonly reason: WholeSlicesReason;
      readonly passes: number;
      readonly of: number;
    }
  /** Too many arms to take turns with each other: they did so in groups, each with its own control arms. */
  | { readonly kind: 'groups'; readonly load: LoadLevel; readonly groups: number }
  /** At this load level the control stands apart from all variants in these metrics, by name. */
  | {
      readonly kind: 'control-stands-apart';
      readonly load: LoadLevel;
      readonly metrics: readonly string[];
      readonly percent: number;
      readonly variants: number;
    }
  | ShortWarmup
  /** Rates that still moved under load: what was measured depends on how long it was. Variants that differ first. */
  | { readonly kind: 'unsteady-rates'; readonly trends: readonly RateTrend[] }
  | HousekeepingNote
  /** The run is a share of a plan. */
  | { readonly kind: 'shard'; readonly index: number; readonly count: number }
  /** Shards that were merged without all of their rounds; `rounds`: how many there were. */
  | {
      readonly kind: 'missing-rounds';
      readonly shards: readonly { readonly shard: number; readonly rounds: number; readonly of: number }[];
      readonly count: number;
    }
  /** In this many of the changes that are judged, machines disagree. */
  | { readonly kind: 'machines-differ'; readonly changes: number; readonly of: number; readonly machines: number }
  /** Slices of a round that was not completed. They are not judged. */
  | { readonly kind: 'unfinished-round'; readonly slices: number }
  | OwnDatabases
  /** There are no pg_stat_database columns. `text` says why. */
  | { readonly kind: 'no-database-columns'; readonly text: string }
  /** The run was resumed where something of its provenance was different. */
  | { readonly kind: 'resumed-elsewhere'; readonly changes: readonly ProvenanceChange[] };

/** The run is judged against a variant that was chosen as control after it. */
export interface OtherControl {
  readonly kind: 'other-control';
  readonly control: string;
  readonly planned: string;
  /** Variants that were not measured to the end, with the load levels that they left. */
  readonly left: readonly { readonly variant: string; readonly loads: readonly LoadLevel[] }[];
  /** Load levels that no variant was measured under to the end; absent of none. */
  readonly decided?: readonly LoadLevel[];
}

/** Variants set what decides Postgres's own housekeeping, which is on: how long a slice must be to see it. */
interface HousekeepingNote extends VariedHousekeeping {
  readonly kind: 'housekeeping';
}

/** Variants whose service has its own database, or none: values from Postgres are missing for them. */
export interface OwnDatabases {
  readonly kind: 'own-databases';
  readonly variants: readonly string[];
  /** True where no variant has a Postgres. */
  readonly all: boolean;
  /** Those of them whose data nothing puts back between rounds. */
  readonly kept: readonly string[];
}

/** Services that close the connection after each answer, so that latency includes connecting. */
export interface ClosingServices {
  readonly kind: 'closing-services';
  readonly variants: readonly string[];
  /** True where every variant's service does. */
  readonly all: boolean;
}

/** Autocannon sent the load. It misses some requests; counts are of a slice, in the cell with the most. */
export interface ByAutocannon {
  readonly kind: 'by-autocannon';
  /** Requests that were under way when it ended. */
  readonly cutOff: number;
  /** Requests that it sent on connections that the service had announced to close. */
  readonly lost: number;
  /** Variants with such requests. */
  readonly variants: readonly string[];
}

/** Load levels with fewer connections or users than the most instances of a service, so that some of these have nothing to do. */
export interface IdleInstances {
  readonly kind: 'idle-instances';
  readonly loads: readonly LoadLevel[];
  readonly instances: number;
}

export interface ProvenanceChange {
  readonly name: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}

/** How a rate moves from the beginning to the end of a slice, or of an arm's life in a round. */
export interface RateTrend {
  /** Null: over a round, by the requests that an arm had answered since its start. */
  readonly load: LoadLevel | null;
  /** Null where all arms share the trend. */
  readonly variant: string | null;
  readonly percent: number;
  /** The trend of the control, where one variant's differs. */
  readonly controlPercent?: number;
  /** Interval of `percent`, or of its difference from the control's. All trends of a run share an error of 5 %. */
  readonly interval: readonly [low: number, high: number];
}
