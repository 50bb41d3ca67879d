import { traitsOf } from '../../journal/load-level.ts';
import { marginOf, marginsOf } from '../read/metrics/margins.ts';
import {
  innerMetric,
  longestWait,
  type Metric,
  type MetricName,
  p99Latency,
  readingOf,
  requestsPerSecond,
} from '../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { differenceInterval, type Evidence } from '../stats/interval.ts';
import { mean, squares } from '../stats/moments.ts';
import { significant, significantOrNull } from '../stats/rounding.ts';
import type { Comparison } from './comparison.ts';
import { type Contrast, controlArms, otherVariants } from './contrasts.ts';
import { judge } from './judge.ts';
import { notThroughNotes } from './not-through.ts';
import { hasRatios, type Pair, pairUp } from './pairs.ts';
import { isUnfitUnder, type Session } from './session.ts';

/** Requests of a variant beside its job, against the same load just before. */
export interface BesideChange extends Omit<Comparison, 'control' | 'rateInterval' | 'onFirstScreen'> {
  /** Just before the job, the geometric mean of the rounds, as `value` is. */
  readonly without: number | null;
  /** Ends of the interval of `value`, in `unit`. Null where there is none. */
  readonly valueInterval: readonly [number, number] | null;
}

/** A metric of requests beside a job, and of those just before it. */
interface TwoWindows {
  readonly beside: Metric<MetricName>;
  readonly without: Metric;
}

const metrics: readonly TwoWindows[] = [
  {
    beside: longestWait,
    without: innerMetric('longest_wait_ms_without_job', ({ beside }) =>
      readingOf(beside && beside.without.longestUs / 1000),
    ),
  },
  {
    beside: requestsPerSecond,
    without: innerMetric('requests_per_s_without_job', ({ beside }) =>
      readingOf(beside && (1000 * beside.without.okByTime) / beside.without.windowMs),
    ),
  },
  { beside: p99Latency, without: { ...p99Latency, name: 'latency_p99_ms_without_job', withoutJob: true } },
];

type Data = Pick<RunData, 'scenario' | 'quick' | 'course' | 'series' | 'samples'>;

/**
 * Judges each variant's requests beside its job against the same load just before, in the same process and on the same
 * data. Rounds pair them. The variants are one family in each metric: the chance of any false `higher` or `lower` is up to
 * 5 %. No verdict stands where the job failed in some round. Nothing where no job ran beside requests.
 */
export function compareWithoutJob(
  data: Data,
  session: Pick<Session, 'reasons'>,
): { readonly beside?: readonly BesideChange[] } {
  const beside = data.scenario.load.levels
    .filter((load) => traitsOf(load).isBesideJob)
    .flatMap((load) => {
      const others = otherVariants(data).map((variant): ArmCell[] => [{ variant, load, repeat: false }]);
      const sides = [controlArms(data, load), ...others];
      return sides.flatMap((arms) =>
        metrics.map((metric) => changeOf(data, session, { arms, metric, of: sides.length })),
      );
    });
  return beside.length === 0 ? {} : { beside };
}

interface Asked {
  /** The arms of one variant. */
  readonly arms: readonly ArmCell[];
  readonly metric: TwoWindows;
  /** How many variants share the error. */
  readonly of: number;
}

function changeOf(data: Data, session: Pick<Session, 'reasons'>, { arms, metric, of }: Asked): BesideChange {
  const [cell = { variant: '', load: { connections: 0 }, repeat: false }] = arms;
  const paired = pairUp(data.series(metric.without, arms), data.series(metric.beside, arms));
  const marginPercent = marginOf(metric.beside, marginsOf(data.scenario));
  const evidence = hasRatios(paired) ? evidenceOf(data, paired.logRatios, of) : null;
  const { deltaPercent, interval, verdict, rounds, notes } = judge(
    paired,
    { marginPercent, quick: data.quick },
    evidence,
  );
  const contrast: Contrast = { control: arms.slice(1), cell };
  const notThrough = notThroughNotes(data, contrast);
  const unfit = isUnfitUnder(session, cell.load);
  const { name, unit } = metric.beside;
  const logsOf = (side: (pair: Pair) => number): number[] => paired.pairs.map((pair) => Math.log(side(pair)));
  const ownLogs = logsOf(({ value }) => value);
  const own = evidence && !data.quick ? differenceInterval(evidenceOf(data, ownLogs, of)) : null;
  return {
    variant: cell.variant,
    load: cell.load,
    metric: name,
    unit,
    without: geometricMean(logsOf(({ control }) => control)),
    value: geometricMean(ownLogs),
    valueInterval: own && [significant(Math.exp(own.low)), significant(Math.exp(own.high))],
    deltaPercent: significantOrNull(deltaPercent),
    interval: interval && [significant(interval[0]), significant(interval[1])],
    verdict: unfit || notThrough.length > 0 ? 'unfit' : verdict,
    rounds,
    notes: [...notes, ...notThrough, ...(unfit ? [{ kind: 'unfit' } as const] : [])],
  };
}

function geometricMean(logs: readonly number[]): number | null {
  return significantOrNull(logs.length === 0 ? null : Math.exp(mean(logs)));
}

/** Logarithms of rounds that count alike. */
function evidenceOf({ course }: Data, ratios: readonly number[], comparisons: number): Evidence {
  const df = ratios.length - 1;
  const spread = { variance: df > 0 ? squares(ratios) / df : 0, df };
  return { ratios, weights: ratios.map(() => 1), spread, course, comparisons };
}
