import type { Cell } from '../cells/cell.ts';
import { memoizeBy } from '../memoize-by.ts';
import type { Metric } from './metrics.ts';
import { controlSeries, noSeries, pooledSeries, readColumn, readSeries, type Series, smaller } from './series.ts';

/** A metric of one arm by round, of all it did in each. */
export function readArm(
  { samples, probes, roundLatencies }: Pick<Cell, 'samples' | 'probes' | 'roundLatencies'>,
  metric: Metric,
): Series {
  const { probe, percentile } = metric;
  if (percentile !== undefined) return pooledSeries(roundLatencies.percentile(percentile));
  return probe === undefined ? readSeries(samples, metric) : readColumn(samples.keys(), probes.column(probe));
}

/** The control's two arms, where arms had their turns in groups with the control in each. */
interface Beside {
  readonly control: readonly Cell[];
  readonly rounds: readonly number[];
}

/**
 * A metric of some arms as it was beside another arm that took turns in groups: of the control's arms what they did in
 * that arm's group, round by round, so that both sides share their disturbance. An arm of another group is moved to this
 * one by the control's change between the two (its logarithm more or less the control's difference): only through the
 * control can arms be compared that never took turns with each other.
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
