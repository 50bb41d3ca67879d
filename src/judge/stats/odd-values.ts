import { groupBy } from '../../base/group-by.ts';
import { sum } from './moments.ts';
import type { PulledIn, RobustFit } from './robust-fit.ts';

/** Values of some arms in one round: how many there are, and how many of them are odd, of all arms and of those asked about. */
export interface Stratum {
  readonly all: number;
  readonly odd: number;
  readonly own: number;
  readonly ownOdd: number;
}

/**
 * The chance that these arms have this many odd values or more if, in each round, odd values strike all arms alike. The
 * exact one-sided conditional test of stratified 2 x 2 tables (Birch, The detection of partial association, I: the 2 x
 * 2 case, 1964). Given the odd values of a round, the number among these arms is hypergeometric; rounds are
 * independent. One arm against two others with three odd values of three: 1 / 27.
 */
export function chanceOfSoMany(strata: readonly Stratum[]): number {
  let distribution = [1];
  for (const { all, odd, own } of strata) {
    if (odd === 0) continue;
    const inRound = hypergeometric(all, odd, own);
    const next = new Array<number>(distribution.length + inRound.length - 1).fill(0);
    distribution.forEach((chance, i) => {
      inRound.forEach((other, j) => {
        next[i + j] = (next[i + j] ?? 0) + chance * other;
      });
    });
    distribution = next;
  }
  const seen = sum(strata.map(({ ownOdd }) => ownOdd));
  return Math.min(1, sum(distribution.slice(seen)));
}

/** The chances of 0, 1, ... odd values among `own` drawn from `all`, if `odd` of all are odd. */
function hypergeometric(all: number, odd: number, own: number): number[] {
  const ways = choose(all, own);
  return Array.from({ length: Math.min(own, odd) + 1 }, (_, k) => (choose(odd, k) * choose(all - odd, own - k)) / ways);
}

function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}

/**
 * A value is odd at this many times the distance at which it is pulled in: four standard deviations. One in twenty
 * pulled-in values of ordinary noise is.
 */
const FAR = 2;

/** Odd values of some arms in one direction. */
export interface OddValues {
  /** How far each is off: ln(value / what it typically is), the smallest number first. */
  readonly offs: readonly number[];
  /** How many values there are. */
  readonly of: number;
  /** The chance of this many or more where odd values strike all arms of the block alike. */
  readonly p: number;
}

/** The odd values of some arms, those that are too small and those that are too large; off by more than `least`. */
export function oddValuesOf(
  { values, pulledIn }: Pick<RobustFit, 'values' | 'pulledIn'>,
  columns: readonly number[],
  least: number,
): OddValues[] {
  const isOwn = ({ column }: PulledIn): boolean => columns.includes(column);
  return [-1, 1].flatMap((direction) => {
    const odd = pulledIn.filter(
      ({ off, residual, limit }) =>
        direction * residual >= FAR * direction * limit && direction * limit > 0 && direction * off > least,
    );
    const offs = odd.filter(isOwn).map(({ off }) => off);
    if (offs.length === 0) return [];
    const byRow = new Map(groupBy(odd, ({ row }) => row).map((ofRow) => [ofRow[0]?.row, ofRow]));
    const strata = values.map((row, i): Stratum => {
      const ofRow = byRow.get(i) ?? [];
      let [all, own] = [0, 0];
      for (let column = 0; column < row.length; column++) {
        if (row[column] === null) continue;
        all++;
        if (columns.includes(column)) own++;
      }
      return { all, odd: ofRow.length, own, ownOdd: ofRow.filter(isOwn).length };
    });
    const of = sum(strata.map(({ own }) => own));
    return [{ offs: offs.sort((a, b) => a - b), of, p: chanceOfSoMany(strata) }];
  });
}

/** How much the values of one arm would be larger on average, over this many rounds, if those pulled in counted in full. */
export function pullOf(pulledIn: readonly PulledIn[], columns: readonly number[], rounds: number): number {
  const own = pulledIn.filter(({ column }) => columns.includes(column));
  return sum(own.map(({ residual, limit }) => residual - limit)) / (columns.length * rounds);
}
