import { present } from '../../../base/present.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { VoidReason } from '../../../journal/records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { plainIfMoved } from '../../odd-starts.ts';
import type { Metric } from '../../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../../read/run-data.ts';
import { differenceInterval, type NonInferiority, nonInferiorityBound } from '../../stats/interval.ts';
import { MIN_SAME_ROUNDS } from '../../stats/looks.ts';
import { toPercent } from '../../stats/rounding.ts';
import { roundsToDifference, roundsToNonInferiority } from '../../stats/rounds-needed.ts';
import { type JudgedComparison, judgeFamily } from '../compare.ts';
import type { Contrast } from '../contrasts.ts';
import { offBy, turnShift } from '../off-by.ts';

/** Slices discarded for these alone are so in each round: the service and the scenario would have to be others. */
const LASTING: ReadonlySet<VoidReason> = new Set<VoidReason>(['failed requests', 'long answers']);

/** How much better another setting is than the one in question, as a log ratio: above 0 the other is better. */
export interface Advantage {
  readonly other: string;
  /** Null where it was not measured. */
  readonly estimate: number | null;
  /** True where the two are the same within the margin. */
  readonly isSame: boolean;
  /** True where it is shown to be worse, with each round in full as well where odd starts move the mean. */
  readonly isLower: boolean;
  /** True where it has no verdict for another reason than noise, such as that all its requests fail. */
  readonly isWithheld: boolean;
  /** Low and high, excluding 0 where they differ, if settings are compared with one other each; null where nothing can be judged. */
  readonly range: Ends | null;
  /** The range with each round in full as well, where odd starts move the mean. */
  readonly rangeInFull: Ends | null;
  /** The range if all pairs share the error: safe to report for any of them. */
  readonly widest: Ends | null;
  /**
   * True where it is shown not to be better by the margin: it is worse, or below the bound of its test. Being worse takes
   * no error: a rival that is better by the margin looks worse at the level of `lower` next to never. Being the same
   * does, by another rule than this test's, and does not count.
   */
  isNotBetter(share: number): boolean;
  /** The bound that it is below, tested with a share of the error; null where nothing can be judged. */
  most(share: number): number | null;
  /** Upper bound of a rival's gain, no nearer than the end of the interval that its verdict is shown with. */
  shownMost(share: number): number | null;
  /** After how many rounds that bound would be within the margin, or the two differ; null: not by the last look. */
  roundsNeeded(share: number): number | null;
}

/** Low and high. */
type Ends = readonly [number, number];

/** Compares a setting with others under one load level. */
export type Advantages = (setting: string, others: readonly string[], load: LoadLevel) => Advantage[];

/**
 * Advantages by a metric. Comparisons with the control are taken from `headline`; others are judged on demand. As many
 * as `headline` has share the error of `range`, and are settled together.
 */
export function createAdvantages(data: RunData, metric: Metric, headline: readonly JudgedComparison[]): Advantages {
  const marginLog = advantageIn(metric, data.scenario.marginPercent);
  const isLowerBetter = metric.better === 'lower';
  const comparisons = Math.max(1, headline.length);
  const { load, variants, control } = data.scenario;
  const otherPairs = (load.levels.length * (variants.length - 1) * (variants.length - 2)) / 2;
  /** Those with the control have the intervals that their verdicts are shown with. */
  const sharingOf = ({ contrast, evidence }: JudgedComparison): Pick<Rules, 'family' | 'pairs'> => {
    const isWithControl = [...contrast.control, contrast.cell].some(({ variant }) => variant === control);
    const family = isWithControl ? (evidence?.comparisons ?? comparisons) : comparisons;
    return { family, pairs: isWithControl ? family : otherPairs };
  };
  const toAdvantage = (finding: JudgedComparison, setting: string): Advantage => {
    const isTurned = finding.contrast.cell.variant === setting;
    const other = isTurned ? (finding.contrast.control[0]?.variant ?? '') : finding.contrast.cell.variant;
    const sign = isTurned === isLowerBetter ? 1 : -1;
    return advantageOf(data, finding, { other, sign, marginLog, comparisons, ...sharingOf(finding) });
  };
  return (setting, others, level) => {
    const known = headline.filter((one) => loadKey(one.load) === loadKey(level));
    if (setting === control) {
      const wanted = new Set(others);
      return known.filter(({ variant }) => wanted.has(variant)).map((finding) => toAdvantage(finding, setting));
    }
    const withControl = others.includes(control) ? known.filter(({ variant }) => variant === setting) : [];
    const pairs = others.filter((other) => other !== control).map((other) => pairOf(setting, other, level));
    return [...withControl, ...judgeFamily(data, metric, pairs)].map((finding) => toAdvantage(finding, setting));
  };
}

function pairOf(setting: string, other: string, load: LoadLevel): Contrast {
  const cellOf = (variant: string): ArmCell => ({ variant, load, repeat: false });
  return { control: [cellOf(setting)], cell: cellOf(other) };
}

interface Rules extends Omit<NonInferiority, 'share'> {
  readonly other: string;
  /** How many comparisons share the error of `range`, */
  readonly family: number;
  /** and how many where all pairs are looked at. */
  readonly pairs: number;
}

function advantageOf(
  data: RunData,
  finding: JudgedComparison,
  { other, sign, marginLog, comparisons, family, pairs }: Rules,
): Advantage {
  const { evidence, interval, verdict, deltaPercent, rounds, notes } = finding;
  const estimate = deltaPercent === null ? null : sign * Math.log1p(deltaPercent / 100);
  const shift = turnShift(finding);
  const isJudged = evidence !== null && interval !== null && verdict !== 'unfit';
  const isSame = verdict === 'same';
  const isDiscarded = notes.some(
    (note) => note.kind === 'not-measured' && note.discarded?.every((why) => LASTING.has(why)),
  );
  const isWithheld = verdict === 'unfit' || isDiscarded;
  const none = {
    other,
    estimate,
    isSame,
    isLower: false,
    isWithheld,
    range: null,
    rangeInFull: null,
    widest: null,
    isNotBetter: () => isSame,
    most: () => null,
    shownMost: () => (isSame ? 0 : null),
    roundsNeeded: () => null,
  };
  if (!isJudged) return none;
  const off = offBy(data, finding);
  const [below, above] = sign === 1 ? [off.low, off.high] : [-off.high, -off.low];
  const endsAt = (sharing: number, basis = evidence): Ends | null => {
    const difference = differenceInterval({ ...basis, comparisons: sharing });
    if (difference === null) return null;
    const [low, high] = sign === 1 ? [difference.low, difference.high] : [-difference.high, -difference.low];
    return [low + below, high + above];
  };
  const bases = present([evidence, plainIfMoved(evidence, marginLog)]);
  const ranges = bases.flatMap((basis) => {
    const ends = endsAt(family, basis);
    return ends === null ? [] : [ends];
  });
  const [lows, highs] = [ranges.map(([low]) => low), ranges.map(([, high]) => high)];
  const range = endsAt(family);
  const rangeInFull: Ends | null = ranges.length < bases.length ? null : [Math.min(...lows), Math.max(...highs)];
  const most = (share: number): number | null => {
    if (shift === null || rounds < MIN_SAME_ROUNDS) return null;
    const bounds = bases.map((one) => {
      return nonInferiorityBound(one, { marginLog, comparisons, share, sign }) ?? Number.POSITIVE_INFINITY;
    });
    const bound = Math.max(...bounds) + above;
    return Number.isFinite(bound) ? bound : null;
  };
  // The interval of `same` is from its own test; that of a difference is shared by a family, and wider.
  const isBetter = range !== null && range[0] > 0;
  const ownEnd = isSame || isBetter ? sign * Math.log1p(interval[sign === 1 ? 1 : 0] / 100) : null;
  const isLower = rangeInFull !== null && rangeInFull[1] < 0;
  return {
    ...none,
    isLower,
    range,
    rangeInFull,
    widest: endsAt(pairs),
    isNotBetter: (share) => isLower || (most(share) ?? marginLog) < marginLog,
    most,
    shownMost(share) {
      const ends = [most(share), ownEnd].flatMap((end) => end ?? []);
      return ends.length === 0 ? null : Math.max(...ends);
    },
    roundsNeeded(share) {
      const base = bases.at(-1) ?? evidence;
      const waits = [
        roundsToNonInferiority(base, above, { marginLog, comparisons, share, sign }),
        roundsToDifference({ ...evidence, comparisons }),
      ];
      const known = waits.flatMap((wait) => wait ?? []);
      return known.length === 0 ? null : Math.min(...known);
    },
  };
}

/** An advantage, a log ratio above 0 where a setting is better, in percent of the metric: of a latency by how much it is lower. */
export type PercentOf = (advantage: number) => number;

export function percentIn({ better }: Pick<Metric, 'better'>): PercentOf {
  return (advantage) => (better === 'lower' ? -toPercent(-advantage) : toPercent(advantage));
}

/**
 * The log ratio above 0 that such an advantage is: what `percentIn` turns into those percent. A latency that is 5 % lower is
 * a little more of it than a rate that is 5 % higher, and is what counts where 5 % do: bounds stand in percent of the metric.
 * None falls by all of itself.
 */
export function advantageIn({ better }: Pick<Metric, 'better'>, percent: number): number {
  return better === 'lower' ? -Math.log1p(-Math.min(percent, 99.9) / 100) : Math.log1p(percent / 100);
}
