import { groupBy } from '../../base/group-by.ts';
import type { CapacityLimit } from '../../journal/capacity/capacity-spec.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { NearLimits, NotKept } from '../caveat.ts';
import { countOf } from '../read/cells/cell-sample.ts';
import { innerMetric, latencyNames, type Metric, metrics, readingOf } from '../read/metrics/metrics.ts';
import { smaller } from '../read/metrics/series.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { type Interval, tInterval } from '../stats/interval.ts';
import { levelsOf, looks } from '../stats/looks.ts';
import { mean } from '../stats/moments.ts';
import { shareBounds } from '../stats/poisson-rates.ts';
import { significantRange } from '../stats/rounding.ts';
import { skewedMeanBounds } from '../stats/skewed-mean.ts';
import { cellsOf, controlArms } from './contrasts.ts';

/** A limit with bounds: low, high; null where they are not known. */
type Bounded = Omit<NotKept, 'kind'>;

/** A limit of a search that a setting is shown to keep. */
export interface KeptLimit extends CapacityLimit, Pick<ArmCell, 'variant' | 'load'> {
  /** The metric's mean is at most this, at 95 %, one-sided. */
  readonly bound: number;
}

/** A value that is less than this share of its limit is as good to a search: logarithms need one, and failures are often none. */
const LEAST_STRESS = 0.01;

/** By name, so that the series of a metric is read once. */
const metricsOfLimits = new Map<string, Metric>();

/** The metric of a limit, as the scenario names it. */
export function limitMetric(name: string): Metric {
  const found = metricsOfLimits.get(name) ?? newMetric(name);
  metricsOfLimits.set(name, found);
  return found;
}

function newMetric(name: string): Metric {
  const latency = Object.entries(latencyNames).find(([short]) => short === name)?.[1];
  const probe = name === 'service_cpu' ? 'service_cpu_cores' : name;
  return (
    metrics.find((metric) => metric.name === latency) ??
    innerMetric(name, (sample) => {
      if (name !== 'failed') return readingOf(sample.probe(probe));
      const { count, among } = countOf(sample);
      return readingOf(among === 0 ? null : count / among);
    })
  );
}

/** ln(value / limit) of an arm, by round: above 0 it breaks the limit. Empty where it is not known. */
export function stressOf(
  data: RunData,
  cell: ArmCell,
  { metric, most }: CapacityLimit,
  read: Metric = limitMetric(metric),
): ReadonlyMap<number, number> {
  const { byRound, tooFew } = data.series(read, [cell]);
  if (tooFew !== null) return new Map();
  return new Map([...byRound].map(([round, { value }]) => [round, Math.log(Math.max(LEAST_STRESS, value / most))]));
}

/**
 * The limits of a search (`keep`) with both bounds of the metric's mean over rounds, each one-sided at 95 %, all looks
 * together; a setting has to keep all limits, so these need no smaller shares. Empty under 4 rounds, and in other runs.
 */
function limitBounds(data: RunData, { variant, load, repeat }: ArmCell): Bounded[] {
  const levels = levelsOf(data.course, 1);
  if (levels === null) return [];
  const { control, tune } = data.scenario;
  const arms = variant === control ? controlArms(data, load) : [{ variant, load, repeat }];
  return (tune?.keep ?? []).map((limit) => {
    const bounds =
      limit.metric === 'failed' ? failedBounds(data, arms, levels.own) : meanBounds(data, arms, limit, levels.own);
    const few = bounds === null ? fewAnswers(data, arms, limit) : null;
    return { ...limit, range: bounds && significantRange([bounds.low, bounds.high]), ...(few && { few }) };
  });
}

/** Bounds of the mean of logarithms, each by Student's t. */
function meanBounds(data: RunData, arms: readonly ArmCell[], limit: CapacityLimit, level: number): Interval | null {
  const found = tInterval(
    byRound(arms.map((arm) => stressOf(data, arm, limit))),
    // Of an interval each end has half.
    2 * level,
  );
  const bound = (log: number): number => limit.most * Math.exp(log);
  return found && { low: bound(found.low), high: bound(found.high) };
}

/**
 * Bounds of the share of requests that fail, the outer ones of two: of the mean over rounds, since failures come in bursts,
 * and of all requests as if each failed by itself. No round says more than the number of requests: none failed in n is
 * up to 3 / n.
 */
function failedBounds(data: RunData, arms: readonly ArmCell[], level: number): Interval | null {
  const failed = limitMetric('failed');
  const series = arms.map((arm) => [...data.series(failed, [arm]).byRound]);
  const rounds = skewedMeanBounds(
    byRound(series.map((own) => new Map(own.map(([round, { value }]) => [round, value])))),
    level,
  );
  const sample = data.merged(arms);
  if (rounds === null || sample === null) return null;
  const requests = shareBounds(countOf(sample), level);
  return {
    low: Math.max(0, Math.min(rounds.low, requests.low)),
    high: Math.min(1, Math.max(rounds.high, requests.high)),
  };
}

/** One value a round: the control's two arms share their rounds. */
function byRound(arms: readonly ReadonlyMap<number, number>[]): number[] {
  const all = arms.flatMap((values) => [...values]);
  return groupBy(all, ([round]) => round).map((round) => mean(round.map(([, value]) => value)));
}

/** How many answers a percentile lacks, where it will have them by the last look; null where others are missing. */
function fewAnswers(data: RunData, arms: readonly ArmCell[], { metric }: CapacityLimit): NotKept['few'] | null {
  const read = limitMetric(metric);
  const few = arms.map((arm) => data.series(read, [arm]).tooFew).reduce(smaller, null);
  const perRound = (few?.samples ?? 0) / data.rounds.length;
  return read.percentile !== undefined && few !== null && perRound * (looks.at(-1) ?? 0) >= few.needed ? few : null;
}

/** The limits that a setting is not shown to keep: their upper bound is above them, or is not known. */
export function limitCaveats(data: RunData, cell: ArmCell): NotKept[] {
  return limitBounds(data, cell).flatMap((one): NotKept[] =>
    one.range !== null && one.range[1] <= one.most ? [] : [{ kind: 'not-kept', ...one }],
  );
}

/** The limits that settings are shown to keep, each with the upper bound that the rule goes by. */
export function keptLimits(data: RunData): KeptLimit[] {
  return cellsOf(data).flatMap((cell) =>
    limitBounds(data, cell).flatMap(({ range, ...limit }): KeptLimit[] =>
      cell.repeat || range === null || range[1] > limit.most
        ? []
        : [{ variant: cell.variant, load: cell.load, ...limit, bound: range[1] }],
    ),
  );
}

/** The setting whose upper bounds exceed the limits by least; undefined where no bounds are known. */
export function nearestToLimits(data: RunData, load: LoadLevel): NearLimits | undefined {
  const excess = ({ notKept }: NearLimits): number =>
    Math.max(...notKept.map(({ range, most }) => (range?.[1] ?? Number.POSITIVE_INFINITY) / most));
  return data.scenario.variants
    .map(({ name: variant }) => ({ variant, notKept: limitCaveats(data, { variant, load, repeat: false }) }))
    .filter((one) => one.notKept.length > 0 && Number.isFinite(excess(one)))
    .sort((a, b) => excess(a) - excess(b))[0];
}

/** The limits without bounds under a load level, each once. */
export function unknownLimits(data: RunData, load: LoadLevel): NotKept[] {
  const all = data.scenario.variants.flatMap(({ name }) => limitCaveats(data, { variant: name, load, repeat: false }));
  const unknown = all.filter(({ range }) => range === null);
  return [...new Map(unknown.map((one) => [one.metric, one])).values()];
}

/** How many settings may still be shown to keep their limits, or to break one. */
export function openLimits(data: RunData): number {
  const { variants, load } = data.scenario;
  const isOpen = ({ most, range, few }: NotKept): boolean => (range === null ? few !== undefined : range[0] <= most);
  return variants.flatMap(({ name }) =>
    load.levels.filter((level) => {
      const found = limitCaveats(data, { variant: name, load: level, repeat: false });
      return found.length > 0 && found.every(isOpen);
    }),
  ).length;
}
