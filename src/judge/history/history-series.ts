import { ofName } from '../../base/by-name.ts';
import { PgsweepError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { type ChangePoint, changePoints } from '../stats/change-points.ts';
import type { HistoryPoint } from './history-point.ts';

/** Which numbers of a history are looked at; null: the obvious ones. */
export interface SeriesChoice {
  readonly scenario: string | null;
  readonly metric: string;
  /** By default the control, or the commit itself in a run against others. */
  readonly variant: string | null;
  readonly load: string | null;
  /** The change against the control in percent, and not the metric itself. */
  readonly change: boolean;
}

export interface HistorySeries {
  readonly scenario: string;
  readonly metric: string;
  readonly variant: string;
  readonly load: string;
  readonly change: boolean;
  readonly points: readonly SeriesPoint[];
  /** How many runs were made on another machine or another Postgres than the last one: they are left out. */
  readonly elsewhere: number;
  /** How many of the others did other work than the last one (other requests under the same name): they are left out. */
  readonly otherWork: number;
  /** How many points do not know their work, which counts as the same. */
  readonly unknownWork: number;
  /** How many points are of another data set than the last one. They stay: a migration is a change of a commit, too. */
  readonly otherDataSet: number;
  /** How many of the others have another control than the last one, so that their changes are left out; 0 without `change`. */
  readonly otherControl: number;
  /** How many runs have no values at all: they are left out, and looked at nowhere. */
  readonly withoutValues: number;
  /** How many runs came after the last point: they have no such value, as where a variant was removed. */
  readonly since: number;
  /** How many points are of a variant that is another commit than the one at which they stand. */
  readonly otherCommit: number;
  /** How many runs are of commits of the same second whose order git does not know: they are in the order of measurement. */
  readonly orderUnknown: number;
  /** `index` counts points; sizes are differences of logarithms. */
  readonly changePoints: readonly ChangePoint[];
}

export interface SeriesPoint {
  readonly point: HistoryPoint;
  /** In the unit of the metric; of a change in percent. */
  readonly value: number;
}

/** One metric over the commits of a history, with its change points. Throws PgsweepError `usage` where nothing is there. */
export function historySeries(history: readonly HistoryPoint[], choice: SeriesChoice): HistorySeries {
  const isWanted = (point: HistoryPoint): boolean => choice.scenario === null || point.scenario === choice.scenario;
  // A run of a capacity, which an earlier pgsweep added, has none.
  const hasValues = ({ levels }: HistoryPoint): boolean => levels.length > 0;
  const last = history.findLast((point) => isWanted(point) && hasValues(point)) ?? history.findLast(isWanted);
  if (last === undefined) {
    if (history.length === 0)
      throw new PgsweepError('usage', 'the history is empty', { hint: 'Add a run: pgsweep history add results/...' });
    const scenarios = history.map(({ scenario }) => scenario);
    throw unknown(`scenario ${choice.scenario}`, choice.scenario ?? '', scenarios);
  }
  const all = history.filter(({ scenario }) => scenario === last.scenario);
  const ofScenario = all.filter(hasValues);
  const here = ofScenario.filter((point) => environmentOf(point) === environmentOf(last));
  const work = here.findLast((point) => point.work !== undefined)?.work;
  const alike = here.filter((point) => (point.work ?? work) === work);
  const comparable = alike.filter(({ control }) => !choice.change || control === last.control);
  const { variant, load } = cellOf([last, ...comparable.toReversed()], choice);
  const valueIn = (point: HistoryPoint): number | null => seriesValue(point, variant, load, choice);
  const points = comparable.flatMap((point): SeriesPoint[] => {
    const value = valueIn(point);
    return value === null ? [] : [{ point, value }];
  });
  if (points.length === 0) {
    const { metric } = choice;
    const known = comparable.flatMap((point) => metricsOf(point, variant, load, choice.change));
    throw unknown(`metric ${metric} of ${variant} with ${load}`, metric, known);
  }
  const logs = points.map(({ value }) => (choice.change ? Math.log1p(value / 100) : Math.log(value)));
  const { scenario } = last;
  const { metric, change } = choice;
  const leftOut = {
    elsewhere: ofScenario.length - here.length,
    otherWork: here.length - alike.length,
    otherControl: alike.length - comparable.length,
    withoutValues: all.length - ofScenario.length,
    since: comparable.length - 1 - comparable.findLastIndex((point) => valueIn(point) !== null),
  };
  const series = { scenario, metric, variant, load, change, points, ...leftOut, ...remarksOn(points, last, variant) };
  // A 0 has no percentage, and no logarithm.
  return { ...series, changePoints: logs.every(Number.isFinite) ? changePoints(logs) : [] };
}

type Remarks = Pick<HistorySeries, 'unknownWork' | 'otherDataSet' | 'otherCommit' | 'orderUnknown'>;

function remarksOn(points: readonly SeriesPoint[], last: HistoryPoint, variant: string): Remarks {
  const count = (is: (point: SeriesPoint) => boolean): number => points.filter(is).length;
  return {
    unknownWork: count(({ point }) => point.work === undefined),
    otherDataSet: count(({ point }) => hasOtherData(point, last)),
    otherCommit: count(({ point }) => point.own !== undefined && point.own !== variant),
    orderUnknown: count((own) => points.some((other) => areUnordered(own, other))),
  };
}

function hasOtherData({ dataSet: own }: HistoryPoint, { dataSet: other }: HistoryPoint): boolean {
  return own !== undefined && other !== undefined && own !== other;
}

function areUnordered({ point }: SeriesPoint, { point: other }: SeriesPoint): boolean {
  const isTied = point.isOrderUnknown === true && Date.parse(point.committedAt) === Date.parse(other.committedAt);
  return isTied && point.commit !== other.commit;
}

/** The newest run is first. It has the defaults; an earlier one may have variants and load levels that it has not. */
function cellOf(
  newestFirst: readonly [HistoryPoint, ...HistoryPoint[]],
  choice: SeriesChoice,
): { variant: string; load: string } {
  const [last] = newestFirst;
  const cellsIn = ({ changes, levels }: HistoryPoint): readonly { variant: string; load: string }[] =>
    choice.change ? changes : levels;
  if (cellsIn(last).length === 0)
    throw new PgsweepError(
      'usage',
      `run ${last.run} has no ${choice.change ? 'change against its control' : 'values'}`,
      {
        hint: choice.change ? 'Leave out --change to see the metric itself.' : 'None of its load levels was fit.',
      },
    );
  const variants = [...new Set(newestFirst.flatMap(cellsIn).map(({ variant }) => variant))];
  const variant = choice.variant ?? last.own ?? (choice.change ? variants[0] : last.control) ?? '';
  if (!variants.includes(variant)) throw unknown(`variant ${variant}`, variant, variants);
  const loadsByRun = newestFirst
    .map((point) => cellsIn(point).flatMap((cell) => (cell.variant === variant ? [cell.load] : [])))
    .filter(({ length }) => length > 0);
  const loads = [...new Set(loadsByRun.flat())];
  const wanted = choice.load;
  // `25` for `25 connections`.
  const isWanted = (one: string): boolean => one === wanted || one.split(' ')[0] === wanted;
  const load = wanted === null ? loadsByRun[0]?.at(-1) : loads.find(isWanted);
  if (load === undefined) throw unknown(`load level ${wanted}`, wanted ?? '', loads);
  return { variant, load };
}

function seriesValue(
  point: HistoryPoint,
  variant: string,
  load: string,
  { metric, change }: SeriesChoice,
): number | null {
  const isCell = isOfCell(variant, load);
  if (change) return point.changes.find((one) => isCell(one) && one.metric === metric)?.deltaPercent ?? null;
  return ofName(point.levels.find(isCell)?.metrics ?? {}, metric) ?? null;
}

/** Metrics that a cell of a run has a value of. */
function metricsOf(point: HistoryPoint, variant: string, load: string, change: boolean): string[] {
  const isCell = isOfCell(variant, load);
  return change
    ? point.changes.filter(isCell).map(({ metric }) => metric)
    : point.levels.filter(isCell).flatMap(({ metrics }) => Object.keys(metrics));
}

function isOfCell(variant: string, load: string): (cell: { variant: string; load: string }) => boolean {
  return (cell) => cell.variant === variant && cell.load === load;
}

function environmentOf({ machine, postgresVersion }: HistoryPoint): string {
  const { cpuModel, cpuCount, memoryBytes } = machine;
  // Memory differs by what the kernel keeps to itself.
  return [cpuModel, cpuCount, Math.round(memoryBytes / 2 ** 30), postgresVersion?.split('.')[0]].join(' ');
}

/** The history lacks what was asked for by a name; its nearest and all names are the hint. */
function unknown(what: string, name: string, all: readonly string[]): PgsweepError {
  const names = [...new Set(all)];
  const like = nearest(name, names);
  const hint = `${like === null ? '' : `Did you mean ${like}? `}There are ${names.join(', ')}.`;
  return new PgsweepError('usage', `the history has no ${what}`, { hint });
}
