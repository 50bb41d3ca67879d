import { mean, standardDeviation } from '../../../src/judge/stats/moments.ts';
import type { ArmTruth } from './arm-truth.ts';
import { armsOf, type Metric, metrics, type PlantedService, type Planting } from './planting.ts';
import type { Said, SaidChange } from './sweep-of.ts';

/** Off by less is right, beyond the truth's own error: a share. */
const ALLOWED = 0.02;

/** Twice the truth's error may be the margin, or this share of a change; beyond both nothing is counted. */
const UNKNOWN = 0.25;

/** What is true: ln of a value or of a ratio, and its standard error. */
interface Truth {
  readonly log: number;
  readonly error: number;
}

/** A finished planting: a line of the bench's file. */
export interface Finished {
  readonly planting: string;
  /** Of each continuous run. */
  readonly seconds: number;
  /** By arm; none where variants are the same as the control. */
  readonly truths: Readonly<Record<string, ArmTruth>>;
  readonly said: Said;
}

/** How a claim of the bench compares with the truth; `truth unknown` where the truth's own error is too large (UNKNOWN). */
export type Outcome = 'holds' | 'misses' | 'cannot know' | 'truth unknown';

/** One change of one metric that the bench told, beside the truth. Percentages. */
export interface JudgedChange {
  readonly variant: string;
  readonly load: string;
  readonly metric: Metric;
  readonly truthPercent: number;
  /** The standard error of the truth. */
  readonly errorPercent: number;
  readonly said: SaidChange;
  readonly outcome: Outcome;
  /** It says `same`, and the truth is beyond the margin. */
  readonly isFalseSame: boolean;
  /** It says `higher` or `lower`, and the truth is on the other side. */
  readonly isWrongSign: boolean;
  /** It says `higher` or `lower` where nothing differs. */
  readonly isFalseAlarm: boolean;
}

/** One value of one arm, beside the truth; in the metric's unit. */
export interface JudgedValue {
  readonly arm: string;
  readonly metric: Metric;
  readonly truth: number;
  readonly said: number;
  readonly holds: boolean;
}

/** Every change of a planting that has a truth. */
export function judgeChanges(planting: Planting, { truths, said }: Finished): JudgedChange[] {
  return said.changes.flatMap((change) => {
    const truth = planting.kind === 'identical' ? { log: 0, error: 0 } : changeTruth(planting, truths, change);
    return truth === null ? [] : [judgeChange(change, truth, said.marginPercent)];
  });
}

/** Every value of a planting's arms whose truth is known closely enough. */
export function judgeValues(planting: Planting, { truths, said }: Finished): JudgedValue[] {
  if (planting.kind === 'identical') return [];
  return said.values.flatMap(({ arm, values }) =>
    metrics.flatMap((metric) => {
      const truth = valueTruth(planting, truths, arm, metric);
      const value = values[metric];
      if (truth === null || value === null || isUnknown(truth, Math.log1p(said.marginPercent / 100))) return [];
      const holds = Math.abs(Math.log(value) - truth.log) <= ALLOWED + 2 * truth.error;
      return [{ arm, metric, truth: Math.exp(truth.log), said: value, holds }];
    }),
  );
}

function judgeChange(said: SaidChange, truth: Truth, marginPercent: number): JudgedChange {
  const { verdict } = said;
  const about = 2 * truth.error;
  const isSettled = Math.abs(truth.log) > about;
  const margin = Math.log1p(marginPercent / 100);
  const sign = verdict === 'higher' ? 1 : verdict === 'lower' ? -1 : 0;
  return {
    variant: said.variant,
    load: said.load,
    metric: said.metric,
    truthPercent: 100 * Math.expm1(truth.log),
    errorPercent: 100 * truth.error,
    said,
    outcome: isUnknown(truth, Math.max(margin, UNKNOWN * Math.abs(truth.log)))
      ? 'truth unknown'
      : outcomeOf(said, truth),
    isFalseSame: verdict === 'same' && Math.abs(truth.log) > margin + about,
    isWrongSign: isSettled && sign * truth.log < 0,
    isFalseAlarm: truth.log === 0 && sign !== 0,
  };
}

function isUnknown({ error }: Truth, most: number): boolean {
  return 2 * error > most;
}

/** A change holds if it is within 2 % of the truth, or if its interval or the plain mean's holds it, beyond twice the error of the truth. */
function outcomeOf({ deltaPercent, interval, meanInterval, verdict }: SaidChange, { log, error }: Truth): Outcome {
  if (deltaPercent === null || interval === null) return 'cannot know';
  const isHeld = [interval, meanInterval].some((range) => {
    if (range === null) return false;
    const [low, high] = [Math.log1p(range[0] / 100), Math.log1p(range[1] / 100)];
    return low - 2 * error <= log && log <= high + 2 * error;
  });
  const isNear = Math.abs(Math.log1p(deltaPercent / 100) - log) <= ALLOWED + 2 * error;
  if (isHeld || isNear) return 'holds';
  return verdict === 'unfit' ? 'cannot know' : 'misses';
}

function changeTruth(
  planting: PlantedService,
  truths: Finished['truths'],
  { variant, metric }: SaidChange,
): Truth | null {
  const byTheory = planting.change?.[variant]?.[metric];
  if (byTheory === null) return null;
  if (byTheory !== undefined) return { log: Math.log1p(byTheory / 100), error: 0 };
  const [control] = armsOf(planting);
  const sides = [logsOf(planting, truths, control, metric), logsOf(planting, truths, variant, metric)] as const;
  const [before, after] = sides;
  const both = Object.keys(after).filter((source) => source in before);
  const [ofControl, ofVariant] = [control, variant].map((arm) => partsOf(truths, arm, metric));
  const truth = combine(
    both.map((source) => (after[source] ?? Number.NaN) - (before[source] ?? Number.NaN)),
    (ofVariant ?? []).map((log, part) => log - (ofControl?.[part] ?? Number.NaN)),
  );
  // A source that knows one side alone does not tell a change, and yet how far sources are apart.
  const apart = sides.map((logs) => (Object.keys(logs).length > both.length ? halfRangeOf(Object.values(logs)) : 0));
  return truth && { ...truth, error: Math.hypot(truth.error, ...apart) };
}

function valueTruth(planting: PlantedService, truths: Finished['truths'], arm: string, metric: Metric): Truth | null {
  return combine(Object.values(logsOf(planting, truths, arm, metric)), partsOf(truths, arm, metric));
}

/** ln of a metric of an arm in each part of the sockets' run; NaN where a part has no value. */
function partsOf(truths: Finished['truths'], arm: string, metric: Metric): number[] {
  return (truths[arm]?.parts ?? []).map((part) => Math.log(part[metric] ?? Number.NaN));
}

/** ln of a metric of an arm by each source that has it, theory included. */
function logsOf(
  planting: PlantedService,
  truths: Finished['truths'],
  arm: string,
  metric: Metric,
): Record<string, number> {
  const theory = planting.theory?.[arm]?.[metric];
  const sources = Object.entries(truths[arm]?.sources ?? {}).map(([name, values]) => [name, values[metric]] as const);
  const known = [...sources, ['theory', theory ?? null] as const].flatMap(([name, value]) =>
    value === null || value <= 0 ? [] : [[name, Math.log(value)] as const],
  );
  return Object.fromEntries(known);
}

/** The mean of the sources. Its error: how the parts of the sockets' run scatter, and how far the sources are apart. */
function combine(sources: readonly number[], parts: readonly number[]): Truth | null {
  const partsError = standardDeviation(parts) / Math.sqrt(parts.length);
  if (sources.length === 0 || !Number.isFinite(partsError)) return null;
  return { log: mean(sources), error: Math.hypot(partsError, halfRangeOf(sources)) };
}

function halfRangeOf(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2;
}
