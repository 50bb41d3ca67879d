import { lastMeasured } from '../../journal/left-records.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import type { Spread } from '../stats/variance.ts';
import { armsUnder, besideOf, type Contrast, isTwin } from './contrasts.ts';
import { type Block, type Blocks, type BlockValues, blockOf, blocksOf, type Member } from './family.ts';

/** More than a round can have. */
const MOST_GROUPS = 1000;

/** A comparison as of one of the rounds of the run, after which one side was not measured; infinite where both always were. */
interface AskedUntil {
  readonly metric: Metric;
  readonly contrast: Contrast;
  readonly until: number;
}

/** Finds the block that a comparison is judged from. */
type BlockFinder = (asked: AskedUntil) => Block;

const known = new WeakMap<RunData, WeakMap<Metric, Map<string, Blocks>>>();

/** Finds blocks of a run, each fitted once with those of the other load levels. */
export function blocksOfRun(data: RunData): BlockFinder {
  return ({ metric, contrast, until }) => {
    const place = data.scenario.load.levels.findIndex((load) => loadKey(load) === loadKey(contrast.cell.load));
    return allBlocks(data, { metric, contrast, until }).blocks[place] ?? blockOf(new Map());
  };
}

/** The blocks of a comparison's metric under all load levels, with the comparison's arms in each. */
export function allBlocks(data: RunData, { metric, contrast, until }: AskedUntil): Blocks {
  const ofData = known.get(data) ?? new WeakMap<Metric, Map<string, Blocks>>();
  known.set(data, ofData);
  const byKey = ofData.get(metric) ?? new Map<string, Blocks>();
  ofData.set(metric, byKey);
  const alone = standsAlone(data, contrast) ? [...contrast.control, contrast.cell].map(armName).join(' ') : '';
  const key = `${until} ${alone}`;
  const before = byKey.get(key);
  if (before !== undefined) return before;
  const levels = data.scenario.load.levels.map((load) => ({ metric, contrast: under(data, contrast, load), until }));
  const blocks = blocksOf(levels.map((asked) => valuesFor(data, asked)));
  byKey.set(key, blocks);
  return blocks;
}

/** Both sides under another load level. */
function under(data: RunData, { control, cell }: Contrast, load: LoadLevel): Contrast {
  const arms = new Map(armsUnder(data, load).map((arm) => [armName(arm), arm]));
  const moved = (arm: ArmCell): ArmCell => arms.get(armName(arm)) ?? { ...arm, load };
  return { control: control.map(moved), cell: moved(cell) };
}

/** The name of an arm among those of its load level. */
export function armName({ variant, repeat }: ArmCell): string {
  return repeat ? `${variant}#2` : variant;
}

function valuesFor(data: RunData, { metric, contrast, until }: AskedUntil): BlockValues {
  const { control, cell } = contrast;
  // Work for a request is not disturbed by what makes turns noisy. A percentile is of all answers, in odd starts too.
  const inFull = metric.percentile !== undefined;
  const noisy = metric.group === 'load' && !inFull;
  if (!standsAlone(data, contrast)) return blockUnder(data, metric, cell.load, { noisy, inFull, until });
  const beside = besideOf(data, contrast);
  const arms = new Map([...control, cell].map((arm) => [armName(arm), data.series(metric, [arm], beside).byRound]));
  const rowOf = rowIn(data.groupOf(beside));
  const byRow = <T>(byRound: ReadonlyMap<number, T>): Map<number, T> => addRows(new Map(), byRound, rowOf, until);
  const noise = noisy ? byRow(data.turnNoise(beside)) : null;
  const programs = new Map([...control, cell].map((arm) => [armName(arm), arm.variant]));
  return { arms: new Map([...arms].map(([name, byRound]) => [name, byRow(byRound)])), programs, noise, inFull };
}

/**
 * All arms of a load level, each in the rows that it took turns in: a row is a round, or a group of a round. The control
 * is in every row, so that the others are compared through it and share what is known of the noise.
 */
function blockUnder(
  data: RunData,
  metric: Metric,
  load: LoadLevel,
  { noisy, inFull, until }: { readonly noisy: boolean; readonly inFull: boolean; readonly until: number },
): BlockValues {
  const all = armsUnder(data, load);
  const others = all.filter((arm) => !isTwin(data, arm));
  const noise = new Map<number, Spread>();
  const arms = new Map(all.map((arm) => [armName(arm), new Map<number, { readonly log: number | null }>()]));
  // Where there are groups, of the arms that are in each what they did in the group of each other arm.
  const inGroups = others.some((arm) => data.groupOf(arm).size > 0);
  for (const beside of inGroups ? others : all.slice(0, 1)) {
    const groupOf = data.groupOf(beside);
    const rowOf = rowIn(groupOf);
    // The group of an arm that left is known up to then.
    const last = groupOf.size > 0 ? Math.min(until, lastRoundOf(data, [beside])) : until;
    for (const arm of all) {
      const rows = arms.get(armName(arm));
      if (rows === undefined || (inGroups && !isTwin(data, arm) && arm !== beside)) continue;
      addRows(rows, data.series(metric, [arm], beside).byRound, rowOf, last);
    }
    if (noisy) addRows(noise, data.turnNoise(beside), rowOf, last);
  }
  const programs = new Map(all.map((arm) => [armName(arm), arm.variant]));
  return { arms, programs, noise: noisy ? noise : null, inFull };
}

/** The row of a round: where arms took turns in groups, the row of its group. */
function rowIn(groupOf: ReadonlyMap<number, number>): (round: number) => number {
  return (round) => round * MOST_GROUPS + (groupOf.get(round) ?? 0);
}

/** Adds values to rows, up to the round `until`. */
function addRows<T>(
  rows: Map<number, T>,
  byRound: ReadonlyMap<number, T>,
  rowOf: (round: number) => number,
  until: number,
): Map<number, T> {
  for (const [round, value] of byRound) if (round <= until) rows.set(rowOf(round), value);
  return rows;
}

/** True for A/A over all groups, of which the block of all arms has a row each. */
function standsAlone(data: RunData, { control, cell }: Contrast): boolean {
  return isTwin(data, cell) && control.every((arm) => isTwin(data, arm)) && areInGroups(data, cell.load);
}

function areInGroups(data: RunData, load: LoadLevel): boolean {
  return armsUnder(data, load).some((arm) => data.groupOf(arm).size > 0);
}

/** The rows of a comparison's sides: of two variants that took turns in groups each has its own. */
export function rowsOf(data: RunData, { control, cell }: Contrast): Pick<Member, 'rowOf' | 'apart'> {
  const rowOf = rowIn(data.groupOf(besideOf(data, { control, cell })));
  const [other] = control;
  if (other === undefined || isTwin(data, cell) || isTwin(data, other) || !areInGroups(data, cell.load))
    return { rowOf };
  const through = armsUnder(data, cell.load).filter((arm) => isTwin(data, arm));
  return { rowOf, apart: { rowOf: rowIn(data.groupOf(other)), through: through.map(armName) } };
}

/** The round that a comparison of these arms ends with: the last one of what left first. Infinite where all stay. */
export function lastRoundOf({ left }: Pick<RunData, 'left'>, arms: readonly ArmCell[]): number {
  return Math.min(...arms.map(({ variant, load }) => lastMeasured(left, variant, load)));
}
