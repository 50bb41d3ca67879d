import { groupBy } from '../../base/group-by.ts';
import type { CapacityLimit } from '../../journal/capacity/capacity-spec.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { NearLimits, NotKept } from '../caveat.ts';
import { innerMetric, latencyNames, type Metric, metrics, readingOf } from '../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { upperT } from '../stats/interval.ts';
import { levelsOf } from '../stats/looks.ts';
import { mean, standardDeviation } from '../stats/moments.ts';
import { significantRange } from '../stats/rounding.ts';
import { cellsOf, controlArms } from './contrasts.ts';

/** A limit with bounds: low, high; null where they are not known. */
type Bounded = Omit<NotKept, 'kind'>;

/** A limit of a search that a setting is shown to keep. */
export interface KeptLimit extends CapacityLimit, Pick<ArmCell, 'variant' | 'load'> {
  /** The metric's mean is at most this, at 95 %, one-sided. */
  readonly bound: number;
}

/** A value that is less than this share of its limit is as good: logarithms need one, and failures are often none. */
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
      const failed = sample.notOk + sample.errors + sample.timeouts + sample.unsent;
      return readingOf(failed + sample.ok === 0 ? null : failed / (failed + sample.ok));
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
    // The control's two arms share their rounds, so that both together are one value a round.
    const own = arms.flatMap((arm) => [...stressOf(data, arm, limit)]);
    const values = groupBy(own, ([round]) => round).map((round) => mean(round.map(([, value]) => value)));
    if (values.length < 2) return { ...limit, range: null };
    const half = (upperT(levels.own, values.length - 1) * standardDeviation(values)) / Math.sqrt(values.length);
    const [low, high] = [-half, half].map((off) => limit.most * Math.exp(mean(values) + off)) as [number, number];
    return { ...limit, range: significantRange([low, high]) };
  });
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

/** How many settings may still be shown to keep their limits, or to break one. */
export function openLimits(data: RunData): number {
  const { variants, load } = data.scenario;
  const isOpen = ({ most, range }: NotKept): boolean => range !== null && range[0] <= most;
  return variants.flatMap(({ name }) =>
    load.levels.filter((level) => {
      const found = limitCaveats(data, { variant: name, load: level, repeat: false });
      return found.length > 0 && found.every(isOpen);
    }),
  ).length;
}
