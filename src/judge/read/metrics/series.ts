import type { CellSample } from '../cells/cell-sample.ts';
import type { PooledPercentile } from '../cells/round-latencies.ts';
import type { Gap, Metric } from './metrics.ts';

/** A metric of one cell in one round. */
interface RoundValue {
  readonly value: number;
  /** Its natural logarithm; null where the value is 0, or one of the values it was made of. */
  readonly log: number | null;
}

/** A metric of one cell, by round. */
export interface Series {
  readonly byRound: ReadonlyMap<number, RoundValue>;
  /**
   * Set where some round had too few samples, with the smallest number there was, or for a percentile all rounds together.
   * Such a series is not judged at all: leaving out just those rounds would leave out the slow ones.
   */
  readonly tooFew: Gap | null;
}

/** Of what has no value in any round. */
export const noSeries: Series = { byRound: new Map(), tooFew: null };

/** Reads a metric of one arm in every complete round. Rounds without a value are left out. */
export function readSeries(samples: ReadonlyMap<number, CellSample>, metric: Metric): Series {
  const byRound = new Map<number, RoundValue>();
  let tooFew: Gap | null = null;
  for (const [round, sample] of samples) {
    const reading = metric.read(sample);
    if (reading.value !== null) {
      byRound.set(round, { value: reading.value, log: reading.value > 0 ? Math.log(reading.value) : null });
    } else {
      tooFew = smaller(tooFew, reading.gap);
    }
  }
  return { byRound, tooFew };
}

/** A percentile of all rounds of an arm together: for each round a value, and their mean is that of all of them. */
export function pooledSeries({ logByRound, tooFew }: PooledPercentile): Series {
  const byRound = new Map([...logByRound].map(([round, log]) => [round, { value: Math.exp(log), log }]));
  return { byRound, tooFew };
}

/** The same of what is read by column: a value for each round, NaN or nothing where it has none. */
export function readColumn(rounds: Iterable<number>, column: readonly number[]): Series {
  const byRound = new Map<number, RoundValue>();
  let row = 0;
  for (const round of rounds) {
    const value = column[row++] ?? Number.NaN;
    if (!Number.isNaN(value)) byRound.set(round, { value, log: value > 0 ? Math.log(value) : null });
  }
  return { byRound, tooFew: null };
}

/**
 * The control of a comparison: per round the mean of its two arms' logarithms (so their geometric mean), and the one
 * where the other is missing. Two arms make the control's share of the noise half as large at the same n; taking them
 * for two rounds would count one round twice.
 */
export function controlSeries(rounds: readonly number[], arms: readonly Series[]): Series {
  const [only] = arms;
  if (only !== undefined && arms.length === 1) return only;
  const byRound = new Map<number, RoundValue>();
  for (const round of rounds) {
    let [count, sum, logSum] = [0, 0, 0 as number | null];
    for (const arm of arms) {
      const found = arm.byRound.get(round);
      if (found === undefined) continue;
      count++;
      sum += found.value;
      logSum = logSum === null || found.log === null ? null : logSum + found.log;
    }
    if (count > 0) byRound.set(round, { value: sum / count, log: logSum === null ? null : logSum / count });
  }
  return { byRound, tooFew: arms.reduce<Gap | null>((gap, arm) => smaller(gap, arm.tooFew), null) };
}

export function smaller(a: Gap | null, b: Gap | null): Gap | null {
  if (a === null || b === null) return a ?? b;
  return b.samples < a.samples ? b : a;
}
