import type { RunRecord } from '../../journal/records.ts';
import type { LoadLevel, Treatment, Variant } from '../../journal/scenario-record.ts';
import type { PartKey } from '../../journal/variant-parts.ts';
import type { RunOrder } from '../external/in-turn.ts';
import type { BetweenNote, SessionNote } from '../notes.ts';
import type { Margins } from '../read/metrics/margins.ts';
import type { Interval } from '../stats/interval.ts';
import type { RunProgress } from '../stats/looks.ts';
import type { Estimate } from '../stats/welch.ts';
import type { Comparison } from '../verdicts/comparison.ts';
import type { PercentBounds } from '../verdicts/gates.ts';
import type { Verdict } from '../verdicts/judge.ts';

/** The two sides of a comparison of runs: head is compared with base. */
export const sides = ['base', 'head'] as const;

export type Side = (typeof sides)[number];

/** Something of both sides. */
export type OfSides<T> = Readonly<Record<Side, T>>;

/** Facts of a session (one run folder), for a comparison with others. */
export interface SessionFacts {
  /** For messages: the folder as it was named. */
  readonly place: string;
  readonly run: RunRecord;
  /** In milliseconds since 1970, to its last record; null where it is unknown. */
  readonly taken: { readonly startMs: number; readonly endMs: number } | null;
  readonly rounds: number;
  readonly course: RunProgress;
  /** False if the run was interrupted or failed. */
  readonly complete: boolean;
  /** It was resumed after it had ended. */
  readonly extended: boolean;
  /** Why it, or a load level of it, is unfit; empty where it is fit. */
  readonly unfit: readonly SessionNote[];
  /** By `cellKey` and metric: what changed against the control. */
  readonly changes: ReadonlyMap<string, SessionChange>;
  /** By `cellKey`. */
  readonly levels: ReadonlyMap<string, SessionLevels>;
}

/** One metric of one variant against its control, in one session. */
export interface SessionChange {
  readonly comparison: Comparison;
  /** ln(variant / control); null where the session itself gives it no interval. */
  readonly estimate: SessionEstimate | null;
}

/** ln(variant / control) of one session. */
export interface SessionEstimate extends Estimate {
  /** By the plain mean; absent where values that were pulled in do not move it. */
  readonly inFull?: Estimate;
  /** How far it may be off besides noise: low is 0 or less, high 0 or more. Absent: not at all. */
  readonly off?: Interval;
}

/** The metrics of one variant under one load level, of both its arms where it is the control. */
export interface SessionLevels {
  readonly values: ReadonlyMap<string, number>;
  readonly failures: { readonly count: number; readonly among: number };
}

/** Something recorded that is not the same in all runs. */
export interface Difference {
  readonly area: DifferenceArea;
  /** `cpuModel`, `variants.pool=25.env.POOL_MAX` */
  readonly place: string;
  /** The values that occur; null among them where a run has none. */
  readonly values: OfSides<readonly (string | null)[]>;
}

export const differenceAreas = [
  'machine',
  'stack',
  'data set',
  'bench',
  'code',
  'service',
  'variants',
  'load',
  'rounds',
  'secrets',
] as const;

export type DifferenceArea = (typeof differenceAreas)[number];

/** A metric of one variant that was judged between the sides. */
interface JudgedDifference {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly metric: string;
  readonly unit: string;
  readonly interval: readonly [number, number] | null;
  readonly verdict: Verdict;
  /** For gates; null where nothing can be judged. */
  readonly bounds: PercentBounds | null;
  readonly notes: readonly BetweenNote[];
}

/** How the change of a variant against the control differs between the sides. */
export interface ChangeDifference extends JudgedDifference {
  /** In percent against the control: of several sessions their mean. */
  readonly deltaPercent: OfSides<number | null>;
  /** As the session of a side says; of several sessions null. */
  readonly own: OfSides<Pick<Comparison, 'interval' | 'verdict'> | null>;
  /** 100 (e^d - 1), where d is ln(variant / control) of head less the one of base: +8 % and +2 % give -5.6 %. */
  readonly differencePercent: number | null;
  readonly sessions: OfSides<number>;
}

/** A metric of one variant, head against base. */
export interface LevelDifference extends JudgedDifference {
  /** The mean where there are several sessions. */
  readonly value: OfSides<number | null>;
  readonly deltaPercent: number | null;
  /** How many pairs of sessions were judged; 0 where there is no verdict to be had. */
  readonly rounds: number;
}

/** Variants and load levels of only one side. */
export interface OnlyIn {
  readonly variants: readonly string[];
  readonly loads: readonly LoadLevel[];
}

/** Which measurement would tell what these runs cannot. */
export type Settling =
  /** One sweep with both as variants, each with what is its own. */
  | {
      readonly kind: 'one-sweep';
      readonly variants: OfSides<SettlingVariant>;
      /** Set where both are commits of one folder: each wants its own checkout, which `variants` names. */
      readonly commits: OfSides<string> | null;
    }
  /** No sweep can vary what differs, or it is unknown: run sessions alternately. */
  | { readonly kind: 'in-turn'; readonly area: DifferenceArea | null; readonly needed: number }
  /** Nothing that is recorded differs, of a service that can be had in two folders. */
  | { readonly kind: 'two-folders' };

/** Parts that two variants do not share; null for a part that only the other has. */
export type SettlingParts = { readonly [Key in PartKey]?: Variant[Key] | null };

/** Keys of a scenario's variant; what is empty is left out. */
export type SettlingVariant = Partial<Pick<Variant, 'cwd' | 'command' | 'url' | 'env' | 'database' | 'reset'>> &
  Partial<Treatment> &
  SettlingParts;

/** Two sides of one or more sessions each, compared. */
export interface RunsComparison {
  readonly sessions: OfSides<readonly SessionFacts[]>;
  /** Unfit ones, where their side has others. */
  readonly leftOut: readonly SessionFacts[];
  readonly differences: readonly Difference[];
  /** Secrets that may have changed: their digests have other keys, or none. */
  readonly unknownSecrets: readonly string[];
  readonly only: OfSides<OnlyIn>;
  /** Null where the runs have not all the same: then no changes can be compared. */
  readonly control: string | null;
  /** Those that all runs have, the control among them. */
  readonly variants: readonly string[];
  readonly loads: readonly LoadLevel[];
  readonly changes: readonly ChangeDifference[];
  readonly levels: readonly LevelDifference[];
  /** The order in which sessions were taken. */
  readonly order: RunOrder;
  /** The narrowest of all runs. */
  readonly margins: Margins;
  readonly settling: Settling;
}
