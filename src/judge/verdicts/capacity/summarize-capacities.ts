import { groupBy } from '../../../base/group-by.ts';
import type { CapacityLimit } from '../../../journal/capacity/capacity-spec.ts';
import type { LoadAxis } from '../../../journal/load-traits.ts';
import { axisUnit } from '../../../journal/load-traits.ts';
import type { CapacityOutcome, ComparisonNote } from '../../notes.ts';
import type { CapacityPoint } from '../../read/rounds/capacity-points.ts';
import { mean } from '../../stats/moments.ts';
import { significant, significantOrNull, significantRange, toPercent } from '../../stats/rounding.ts';
import { type Change, roundedNumbers } from '../comparison.ts';
import type { Session } from '../session.ts';
import { scatterOf } from './arm-capacity.ts';
import type { CapacityChange, JudgedCapacities, JudgedCapacity } from './judge-capacities.ts';

/** The name of a compared capacity, beside the names of metrics. */
export const CAPACITY = 'capacity';

/** The load that each variant sustains. */
export interface CapacitySummary {
  /** The unit of load: connections, requests/s (`rate`) or users. */
  readonly of: LoadAxis;
  /** The smallest and the largest load that was asked for. */
  readonly from: number;
  readonly to: number;
  readonly until: readonly CapacityLimit[];
  /** The control first, then its second arm, then the others as in the scenario. */
  readonly arms: readonly ArmCapacity[];
  /** Every variant but the control against it. */
  readonly comparisons: readonly CapacityComparison[];
  /** A/A: the control's second arm against its first; null where it has none. */
  readonly repeat: CapacityComparison | null;
}

/** The load that one arm sustains, with its evidence. */
export interface ArmCapacity {
  readonly variant: string;
  readonly repeat: boolean;
  readonly outcome: CapacityOutcome;
  /** The load, the geometric mean over rounds; null but for the outcome `supports`. */
  readonly supports: number | null;
  /** Its interval at 95 %; null under 4 rounds. */
  readonly interval: readonly [low: number, high: number] | null;
  /** True where the metric jumps over its limit between two loads: they are the interval's ends. */
  readonly isStep: boolean;
  /** The limit that it breaks first; null where it breaks none. */
  readonly limitedBy: string | null;
  /** How many rounds had a crossing. */
  readonly rounds: number;
  /** By how much one round is typically off, in percent; null for fewer than two. */
  readonly scatterPercent: number | null;
  /** How much of the time of its turns their ends hide, in percent; null where that may be noise, or is no more than 1 %. */
  readonly hiddenPercent: number | null;
  /** Measurements at each load that was tried, from the smallest. */
  readonly evidence: readonly CapacityEvidence[];
}

/** One arm at one load. */
export interface CapacityEvidence {
  readonly load: number;
  /** How many slices there were, and in how many of them the load generator could not keep up. */
  readonly slices: number;
  readonly generatorBusy: number;
  /** In how many of these it had time to spare, and the machine let it wait. */
  readonly machineBusy: number;
  /** By the name of the limit: in how many slices it is known. */
  readonly known: Readonly<Record<string, number>>;
  /**
   * By the name of the limit: the mean over these. Null where none is known, or one exceeds all measure, such as a
   * percentile of requests that failed.
   */
  readonly values: Readonly<Record<string, number | null>>;
}

/** Two capacities against each other. */
export interface CapacityComparison extends Change {
  readonly notes: readonly ComparisonNote[];
}

/** Capacities of a run, for its summary. An unfit session has no verdicts. */
export function summarizeCapacities(judged: JudgedCapacities | null, { verdict }: Session): CapacitySummary | null {
  if (judged === null) return null;
  const { spec, arms, changes, repeat } = judged;
  const unfit = verdict === 'unfit';
  const comparisonOf = (change: CapacityChange, isUnfit: boolean): CapacityComparison =>
    toComparison(change, judged, isUnfit);
  return {
    ...spec,
    arms: arms.map((arm) => toArm(arm, spec.until)),
    comparisons: changes.map((change) => comparisonOf(change, unfit)),
    repeat: repeat && comparisonOf(repeat, false),
  };
}

function toArm(judged: JudgedCapacity, until: readonly CapacityLimit[]): ArmCapacity {
  const { variant, repeat, outcome, supports, interval, step, limitedBy, byRound, arm } = judged;
  return {
    variant,
    repeat,
    outcome,
    supports: significantOrNull(supports),
    interval: interval && significantRange([interval.low, interval.high]),
    isStep: step !== null,
    limitedBy,
    rounds: byRound.size,
    scatterPercent: byRound.size < 2 ? null : significant(toPercent(scatterOf(byRound))),
    hiddenPercent: arm.hiddenShare === 0 ? null : significant(100 * arm.hiddenShare),
    evidence: groupBy([...arm.points], ({ load }) => load)
      .map((points) => evidenceOf(points, until))
      .sort((a, b) => a.load - b.load),
  };
}

function evidenceOf(points: readonly CapacityPoint[], until: readonly CapacityLimit[]): CapacityEvidence {
  const good = points.filter(({ generatorBusy }) => !generatorBusy);
  const known = until.map(({ metric }) => ({ metric, all: good.flatMap(({ values }) => values.get(metric) ?? []) }));
  const values = known.map(({ metric, all }): [string, number | null] => {
    const value = mean(all);
    return [metric, significantOrNull(value)];
  });
  return {
    load: points[0]?.load ?? 0,
    slices: points.length,
    generatorBusy: points.length - good.length,
    machineBusy: points.filter(({ machineBusy }) => machineBusy).length,
    known: Object.fromEntries(known.map(({ metric, all }) => [metric, all.length])),
    values: Object.fromEntries(values),
  };
}

function toComparison(
  { variant, repeat, deltaPercent, interval, verdict, rounds, notes }: CapacityChange,
  { spec, arms }: JudgedCapacities,
  unfit: boolean,
): CapacityComparison {
  const own = arms.find((arm) => arm.variant === variant && arm.repeat === repeat);
  const [control] = arms;
  const against = repeat ? variant : control?.variant;
  const sides = arms.filter((arm) => arm.variant === against && (!repeat || !arm.repeat));
  const sizes = sides.flatMap(({ supports }) => (supports === null ? [] : [Math.log(supports)]));
  // As in the comparison itself: of both arms, or of none.
  const known = sizes.length === sides.length ? sizes : [];
  return {
    variant,
    metric: CAPACITY,
    unit: axisUnit(spec.of),
    ...roundedNumbers({
      control: known.length === 0 ? null : Math.exp(mean(known)),
      value: own?.supports ?? null,
      deltaPercent,
      interval,
    }),
    verdict: unfit ? 'unfit' : verdict,
    rounds,
    notes: [...notes, ...(unfit ? [{ kind: 'unfit' } as const] : [])],
  };
}
