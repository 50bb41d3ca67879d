import type { Evidence } from '../stats/interval.ts';
import { MIN_ROUNDS, type RunProgress } from '../stats/looks.ts';
import { type OfMachine, overMachines, type Sample } from '../stats/machines.ts';
import { sum, weightedMean } from '../stats/moments.ts';
import { inFull, type RobustFit, robustFit } from '../stats/robust-fit.ts';
import { rowWeights } from '../stats/row-weights.ts';
import { moderated, priorDf, type Spread } from '../stats/variance.ts';
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
}

/** One comparison of a family. */
export interface Member {
  readonly paired: Paired;
  readonly block: Block;
  /** The number of the row in which both sides were, by round. Absent where that is the round's. */
  readonly rowOf?: (round: number) => number;
  /** Names of arms of the block. */
  readonly control: readonly string[];
  readonly variant: string;
  /** The blocks of the same metric under all load levels: how unlike the arms' noise is, is seen from all of them. */
  readonly blocks: readonly Block[];
  /** Set where one side left before the others: how far the run had come then. */
  readonly course?: RunProgress;
}

/** The logarithms of an arm's values, by the numbers of rows; null where a value has none. */
type LogsByRow = ReadonlyMap<number, { readonly log: number | null }>;

/** How the values of a block count. */
interface Counting {
  /** The noise of an arm's value that its turns show, by row: a row measured beside a noisy neighbour counts for less. Rows count alike where it is null, or not known of them all. */
  readonly noise?: ReadonlyMap<number, Spread> | null;
  /** True: none is pulled in, however odd. */
  readonly inFull?: boolean;
}

/** The values of some arms, by name. */
export function blockOf(
  arms: ReadonlyMap<string, LogsByRow>,
  { noise = null, inFull: whole = false }: Counting = {},
): Block {
  const present = [...arms].filter(([, byRow]) => byRow.size > 0);
  const numbers = [...new Set(present.flatMap(([, byRow]) => [...byRow.keys()]))].sort((a, b) => a - b);
  const table = numbers.map((number) => present.map(([, byRow]) => byRow.get(number)?.log ?? null));
  const columns = new Map(present.map(([name], column) => [name, column]));
  const weights = rowWeights(
    table,
    numbers.map((number) => noise?.get(number) ?? null),
  );
  const rows = new Map(numbers.map((number, row) => [number, row]));
  return { rows, columns, weights, fit: robustFit(table, weights, whole ? inFull : undefined) };
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
  const priors = new Map<readonly Block[], number>();
  return members.map((member) => {
    if (!hasRatios(member.paired)) return null;
    const prior = priors.get(member.blocks) ?? priorDf(member.blocks.map(({ fit }) => fit?.byArm ?? []));
    priors.set(member.blocks, prior);
    const sample = sampleOf(member, prior, machineOf);
    return sample === null
      ? null
      : { ...sample, course: member.course ?? course, comparisons: Math.max(1, comparisons) };
  });
}

/** The ratios of a comparison as the fit of its block has them, and the noise of one. Null where the fit saw no noise. */
function sampleOf(
  { paired, block, control, variant, rowOf = (round) => round }: Member,
  prior: number,
  machineOf: ReadonlyMap<number, number>,
): Pick<Evidence, 'ratios' | 'weights' | 'spread' | 'machines' | 'inFull'> | null {
  const { fit, rows, columns } = block;
  if (fit === null || paired.pairs.length < 2) return null;
  const own = columns.get(variant) ?? -1;
  const others = control.flatMap((arm) => columns.get(arm) ?? []);
  const [ratios, weights]: [number[], number[]] = [[], []];
  const rounds: OfMachine[] = [];
  for (const { round, logRatio } of paired.pairs) {
    const row = rows.get(rowOf(round)) ?? -1;
    const values = fit.values[row];
    const value = values?.[own] ?? null;
    let [against, sides] = [0, 0];
    for (const column of others) {
      const side = values?.[column] ?? null;
      if (side === null) continue;
      against += side;
      sides++;
    }
    if (value === null || sides === 0) continue;
    ratios.push(withoutRoundingError(value - against / sides));
    weights.push(block.weights[row] ?? 1);
    rounds.push({ machine: machineOf.get(round) ?? 0, logRatio: logRatio ?? 0 });
  }
  if (ratios.length < 2) return null;
  const sides = others.length;
  const pooled: Spread = { variance: fit.noise.variance * (1 + 1 / sides), df: fit.noise.df };
  const sample = { ratios, weights, spread: moderated(ownSpread(ratios, weights), pooled, prior) };
  const isPulledIn = fit.pulledIn.some(({ column }) => column === own || others.includes(column));
  return {
    ...overMachines(sample, rounds),
    ...(isPulledIn && { inFull: { ...overMachines(plainSample(rounds), rounds), fit, variant: own, control: others } }),
  };
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
