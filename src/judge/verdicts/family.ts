import { type ArmTable, fitTogether } from '../stats/arm-noise.ts';
import type { Evidence } from '../stats/interval.ts';
import { MIN_ROUNDS, type RunProgress } from '../stats/looks.ts';
import { type OfMachine, overMachines, type Sample } from '../stats/machines.ts';
import { mean, sum, weightedMean } from '../stats/moments.ts';
import { inFull, type RobustFit } from '../stats/robust-fit.ts';
import { rowWeights } from '../stats/row-weights.ts';
import type { Skew } from '../stats/skew.ts';
import { addedUp, type Spread } from '../stats/variance.ts';
import { hasRatios, type Paired, withoutRoundingError } from './pairs.ts';

/** Arms under one load level, in rows that took turns with each other, and their values with odd ones pulled in. */
export interface Block {
  /** The place of each row, by its number: the round, where all arms took turns with each other. */
  readonly rows: ReadonlyMap<number, number>;
  /** The column of each arm, by its name. */
  readonly columns: ReadonlyMap<string, number>;
  /** How much each row counts, 1 on average. */
  readonly weights: readonly number[];
  readonly fit: RobustFit | null;
  /** The noise of an arm's value in a row of weight 1, by column; empty where there is no fit. */
  readonly noise: readonly Spread[];
  /** The program that the arm of each column runs. */
  readonly programs: readonly string[];
}

/** The number of a row, by round. */
type RowOf = (round: number) => number;

/** Two sides that did not always take turns with each other: they are compared through arms that were in the rows of both. */
interface Apart {
  /** The row of the control's side. */
  readonly rowOf: RowOf;
  /** Names of arms of the block. */
  readonly through: readonly string[];
}

/** One comparison of a family. */
export interface Member {
  readonly paired: Paired;
  readonly block: Block;
  /** The number of the row in which the variant was, by round. Absent where that is the round's. */
  readonly rowOf?: RowOf;
  /** Absent where the control was in the same rows. */
  readonly apart?: Apart;
  /** Names of arms of the block. */
  readonly control: readonly string[];
  readonly variant: string;
  /** The part that stays with an arm for the whole session, as a variance of its logarithm; null where nothing does. */
  readonly kept?: Spread | null;
  /** How skewed the noise of a round's ratio is; null where it is not known. */
  readonly skew?: Skew | null;
  /** Set where one side left before the others: how far the run had come then. */
  readonly course?: RunProgress;
}

/** The logarithms of an arm's values, by the numbers of rows; null where a value has none. */
type LogsByRow = ReadonlyMap<number, { readonly log: number | null }>;

/** The values of some arms under one load level, and how they count. */
export interface BlockValues {
  /** By the name of the arm. */
  readonly arms: ReadonlyMap<string, LogsByRow>;
  /** The program that an arm runs, by the name of the arm; without it each runs another one. */
  readonly programs?: ReadonlyMap<string, string>;
  /** The noise of an arm's value that its turns show, by row: a row measured beside a noisy neighbour counts for less. Rows count alike where it is null, or not known of them all. */
  readonly noise?: ReadonlyMap<number, Spread> | null;
  /** True: none is pulled in, however odd. */
  readonly inFull?: boolean;
}

/** The values of some arms, by name, under one load level. */
export function blockOf(arms: BlockValues['arms'], values: Omit<BlockValues, 'arms'> = {}): Block {
  const { blocks } = blocksOf([{ arms, ...values }]);
  return blocks[0] ?? noBlock;
}

const noBlock: Block = { rows: new Map(), columns: new Map(), weights: [], fit: null, noise: [], programs: [] };

/** The blocks of one metric under all load levels. */
export interface Blocks {
  /** In the order of the values. */
  readonly blocks: readonly Block[];
  /** The variance of each program by its own rounds, in units of what is usual under a load level. */
  readonly programs: ReadonlyMap<string, Spread>;
  /** How far the rounds under one load level say again what those under another say, from 0 to 1. */
  readonly repeated: number;
}

/** The values of the same arms under several load levels: how noisy an arm is, is seen from all of them. */
export function blocksOf(all: readonly BlockValues[]): Blocks {
  const tables = all.map(tableOf);
  const whole = all.some(({ inFull: isWhole = false }) => isWhole);
  const { tables: fitted, programs, repeated } = fitTogether(tables, whole ? inFull : undefined);
  const blocks = tables.map(({ rows, names, weights, programs: ofArms }, i): Block => {
    const { fit = null, noise = [] } = fitted[i] ?? {};
    return {
      rows: new Map(rows.map((number, row) => [number, row])),
      columns: new Map(names.map((name, column) => [name, column])),
      weights,
      fit,
      noise,
      programs: ofArms,
    };
  });
  return { blocks, programs, repeated };
}

function tableOf({ arms, programs, noise = null }: BlockValues): ArmTable & { readonly names: readonly string[] } {
  const present = [...arms].filter(([, byRow]) => byRow.size > 0);
  const rows = [...new Set(present.flatMap(([, byRow]) => [...byRow.keys()]))].sort((a, b) => a - b);
  const table = rows.map((number) => present.map(([, byRow]) => byRow.get(number)?.log ?? null));
  const names = present.map(([name]) => name);
  const within = rows.map((number) => noise?.get(number) ?? null);
  const ofArms = names.map((name) => programs?.get(name) ?? name);
  return { table, rows, names, programs: ofArms, weights: rowWeights(table, within) };
}

/**
 * Evidence for each member of a family of comparisons. The chance of any false `higher` or `lower` among all of them is
 * up to 5 %, all looks together. Members without ratios are no part of it, and have null. `machineOf`: the machine of
 * each round, where there are several.
 *
 * Why not Holm: its later steps have intervals that cannot be shown, and an interval must exclude 0 exactly when the
 * verdict says so. Why not Dunnett: at the control's correlation of 1/3 it gains 0.2-0.6 % in width over equal shares
 * at these levels. research/judging.md lists what else was tried.
 */
export function familyOf(
  members: readonly Member[],
  course: RunProgress,
  machineOf: ReadonlyMap<number, number> = new Map(),
): (Evidence | null)[] {
  const isJudged = ({ paired }: Member): boolean => hasRatios(paired) && paired.pairs.length >= MIN_ROUNDS;
  const comparisons = members.filter(isJudged).length;
  return members.map((member) => {
    if (!hasRatios(member.paired)) return null;
    const sample = sampleOf(member, machineOf);
    return sample === null
      ? null
      : { ...sample, course: member.course ?? course, comparisons: Math.max(1, comparisons) };
  });
}

/**
 * The ratios of a comparison as the fit of its block has them, and the noise of one. Where turns are skewed, each ratio counts
 * alike and in full: a round of many stalls is neither an odd start nor a disturbed one, and pulling it in would hide
 * a part of them. Null where the fit saw no noise.
 */
function sampleOf(
  { paired, block, control, variant, kept = null, skew = null, rowOf = (round) => round, apart }: Member,
  machineOf: ReadonlyMap<number, number>,
): Pick<Evidence, 'ratios' | 'weights' | 'spread' | 'skew' | 'kept' | 'machines' | 'inFull'> | null {
  const { fit, rows, columns } = block;
  if (fit === null || paired.pairs.length < 2) return null;
  const own = columns.get(variant) ?? -1;
  const columnsOf = (arms: readonly string[]): number[] => arms.flatMap((arm) => columns.get(arm) ?? []);
  const [others, through] = [columnsOf(control), columnsOf(apart?.through ?? [])];
  const spread = noiseOfRatio(block, own, others);
  const meanIn = (row: number, arms: readonly number[]): number | null => {
    const logs = arms.flatMap((column) => fit.values[row]?.[column] ?? []);
    return logs.length === 0 ? null : mean(logs);
  };
  const [ratios, weights]: [number[], number[]] = [[], []];
  const rounds: OfMachine[] = [];
  for (const { round, logRatio } of paired.pairs) {
    const row = rows.get(rowOf(round)) ?? -1;
    const controlRow = apart === undefined ? row : (rows.get(apart.rowOf(round)) ?? -1);
    const isMoved = controlRow !== row;
    const [value, against] = [meanIn(row, [own]), meanIn(controlRow, others)];
    const [here, there] = isMoved ? [meanIn(row, through), meanIn(controlRow, through)] : [0, 0];
    if (value === null || against === null || here === null || there === null) continue;
    ratios.push(withoutRoundingError(value - here - (against - there)));
    weights.push(weightOf(block, { own, others, through: isMoved ? through : [], row, controlRow }));
    rounds.push({ machine: machineOf.get(round) ?? 0, logRatio: logRatio ?? 0 });
  }
  if (ratios.length < 2) return null;
  const isPulledIn = fit.pulledIn.some(({ column }) => column === own || others.includes(column));
  const plain = overMachines(plainSample(rounds), rounds);
  // Where machines disagree, a ratio is a machine's.
  const isSkewed = skew !== null && !plain.machines?.disagree;
  return {
    ...(isSkewed ? { ...plain, skew } : overMachines({ ratios, weights, spread }, rounds)),
    ...(kept !== null && { kept: { ...kept, variance: kept.variance * (1 + 1 / others.length) } }),
    ...(isPulledIn && !isSkewed && { inFull: { ...plain, fit, variant: own, control: others } }),
  };
}

/** Columns of a ratio, and the rows of its sides. */
interface OfRatio {
  readonly own: number;
  readonly others: readonly number[];
  /** Columns that link two rows; none where both sides are in one row. */
  readonly through: readonly number[];
  readonly row: number;
  readonly controlRow: number;
}

/**
 * How much a ratio counts beside one of a row of weight 1 that has all arms: by the inverse of its variance. A row without one
 * of the control's arms says less, and so do two rows that are linked through other arms.
 */
function weightOf(block: Block, { own, others, through, row, controlRow }: OfRatio): number {
  const noiseIn = (place: number, arms: readonly number[]): number =>
    arms.length === 0
      ? 0
      : ofMean(
          block,
          arms.filter((column) => hasValue(block, place, column)),
        ).variance;
  const ofOwn = block.noise[own]?.variance ?? 0;
  const [here, there] = [block.weights[row] ?? 1, block.weights[controlRow] ?? 1];
  const variance =
    (ofOwn + noiseIn(row, through)) / here + (noiseIn(controlRow, others) + noiseIn(controlRow, through)) / there;
  return variance === 0 ? here : (ofOwn + ofMean(block, others).variance) / variance;
}

function hasValue({ fit }: Block, row: number, column: number): boolean {
  return (fit?.values[row]?.[column] ?? null) !== null;
}

/** The noise of the mean of some arms in a row of weight 1. */
function ofMean({ noise }: Block, arms: readonly number[]): Spread {
  const known = arms.flatMap((column) => noise[column] ?? []);
  return { variance: sum(known.map(({ variance }) => variance)) / known.length ** 2, df: known[0]?.df ?? 0 };
}

/** The noise of a ratio whose weight is 1: the variant's, and that of the mean of the control's arms. */
function noiseOfRatio(block: Block, own: number, others: readonly number[]): Spread {
  const { noise, fit, programs } = block;
  const [variant, ofControl] = [noise[own], ofMean(block, others)];
  if (variant === undefined) return ofControl;
  // Arms of one program share one estimate of their noise: two of them are known no better than one.
  const isTwin = others.some((column) => programs[column] === programs[own]);
  const both = isTwin
    ? { variance: variant.variance + ofControl.variance, df: variant.df }
    : addedUp([variant, ofControl]);
  return { ...both, df: Math.min(both.df, fit?.noise.df ?? both.df) };
}

/** Rounds that count alike, as they were measured. */
function plainSample(rounds: readonly OfMachine[]): Sample {
  const ratios = rounds.map(({ logRatio }) => logRatio);
  const weights = ratios.map(() => 1);
  return { ratios, weights, spread: ownSpread(ratios, weights) };
}

/** The variance of a ratio whose weight is 1. */
function ownSpread(ratios: readonly number[], weights: readonly number[]): Spread {
  const centre = weightedMean(ratios, weights);
  const df = ratios.length - 1;
  return { variance: sum(ratios.map((ratio, i) => (weights[i] ?? 1) * (ratio - centre) ** 2)) / df, df };
}
