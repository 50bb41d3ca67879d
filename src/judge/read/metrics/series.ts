import type { Cell } from '../cells/cell.ts';
import type { CellSample } from '../cells/cell-sample.ts';
import type { PooledPercentile } from '../cells/round-latencies.ts';
import { memoizeBy } from '../memoize-by.ts';
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

/** A series without a value in any round. */
export const noSeries: Series = { byRound: new Map(), tooFew: null };

/** Reads a metric of one arm in every complete round. Rounds without a value are left out. */
function readSeries(samples: ReadonlyMap<number, CellSample>, metric: Metric): Series {
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

/** A percentile of all rounds of an arm together: a value for each round, whose mean is the percentile. */
export function pooledSeries({ logByRound, tooFew }: PooledPercentile): Series {
  const byRound = new Map([...logByRound].map(([round, log]) => [round, { value: Math.exp(log), log }]));
  return { byRound, tooFew };
}

/** Reads a column: a value for each round, NaN or nothing where it has none. */
function readColumn(rounds: Iterable<number>, column: readonly number[]): Series {
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

/** A metric of one arm by round, of all it did in each. */
export function readArm(
  { samples, probes, roundLatencies, withoutJob }: Pick<Cell, 'samples' | 'probes' | 'roundLatencies' | 'withoutJob'>,
  metric: Metric,
): Series {
  const { probe, percentile } = metric;
  if (percentile !== undefined)
    return pooledSeries((metric.withoutJob ? withoutJob : roundLatencies).percentile(percentile));
  return probe === undefined ? readSeries(samples, metric) : readColumn(samples.keys(), probes.column(probe));
}

/** The control's two arms, where arms had their turns in groups with the control in each. */
interface Beside {
  readonly control: readonly Cell[];
  readonly rounds: readonly number[];
}

/**
 * A metric of some arms beside another arm that took turns in groups. Of the control's arms it is what they did in that
 * arm's group, round by round, so that both sides share their disturbance. An arm of another group is moved to this one
 * by the control's change between the two, on the log scale. Arms that never took turns with each other can only be
 * compared through the control.
 */
export function besideSeries(metric: Metric, arms: readonly Cell[], groups: Cell['groupOf'], beside: Beside): Series {
  const { control, rounds } = beside;
  const inGroups = controlByGroup(metric, control, rounds);
  const isControl = (cell: Cell): boolean => control.includes(cell);
  const series = arms.map((cell): Series => {
    if (isControl(cell)) return pick(groups, (group) => readGroup(metric, cell, group));
    const own = readArm(cell, metric);
    const moved = [...own.byRound].flatMap(([round, value]) => {
      const [from, to] = [cell.groupOf.get(round), groups.get(round)];
      if (from === undefined || to === undefined) return [];
      if (from === to) return [[round, value] as const];
      const [there, here] = [inGroups(from).byRound.get(round), inGroups(to).byRound.get(round)];
      const [thereLog, hereLog] = [there?.log ?? null, here?.log ?? null];
      if (thereLog === null || hereLog === null || value.log === null) return [];
      const log = value.log - thereLog + hereLog;
      return [[round, { value: Math.exp(log), log }] as const];
    });
    return { byRound: new Map(moved), tooFew: own.tooFew };
  });
  return controlSeries(rounds, series);
}

function controlByGroup(metric: Metric, control: readonly Cell[], rounds: readonly number[]) {
  const readIn = (group: number): Series =>
    controlSeries(
      rounds,
      control.map((cell) => readGroup(metric, cell, group)),
    );
  return memoizeBy(String, readIn);
}

function readGroup(metric: Metric, cell: Cell, group: number): Series {
  const own = cell.groups.get(group);
  return own === undefined ? noSeries : readArm(own, metric);
}

/** For each round the value in the group that is asked for. */
function pick(groups: Cell['groupOf'], read: (group: number) => Series): Series {
  const byGroup = new Map([...new Set(groups.values())].map((group) => [group, read(group)]));
  const values = [...groups].flatMap(([round, group]) => {
    const value = byGroup.get(group)?.byRound.get(round);
    return value === undefined ? [] : [[round, value] as const];
  });
  const gaps = [...byGroup.values()].map(({ tooFew }) => tooFew);
  return { byRound: new Map(values), tooFew: gaps.reduce(smaller, null) };
}
