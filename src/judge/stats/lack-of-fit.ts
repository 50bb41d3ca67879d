import { incompleteBeta } from './distributions.ts';
import { mean, sum } from './moments.ts';

/** A value at a place in a block. */
export interface Placed {
  readonly block: number;
  readonly x: number;
  readonly y: number;
}

/** Both effects are estimated alternately this often: enough for some dozens of values. */
const TURNS = 60;
const LEAST_DF = 3;

/**
 * The p-value of the F test for lack of fit of a parabola with a height for each block (Fisher 1922): whether values at
 * the same places agree better with each other than with it. 1 where too few places were measured twice. Without any
 * noise between them it is 0, unless the parabola has none either.
 */
export function lackOfFit(values: readonly Placed[]): number {
  const blocks = values.map(({ block }) => block);
  const places = values.map(({ x }) => x);
  const [blockCount, placeCount] = [new Set(blocks).size, new Set(places).size];
  const pureDf = values.length - blockCount - placeCount + 1;
  const moreDf = placeCount - 3;
  if (pureDf < LEAST_DF || moreDf < 1) return 1;
  const y = values.map((value) => value.y);
  let pure = y;
  for (let turn = 0; turn < TURNS; turn++) pure = centred(centred(pure, blocks), places);
  const centre = mean(places);
  const columns = [places.map((x) => x - centre), places.map((x) => (x - centre) ** 2)].map((one) =>
    centred(one, blocks),
  );
  let left = centred(y, blocks);
  const used: number[][] = [];
  for (const column of columns) {
    const own = used.reduce(without, column);
    left = without(left, own);
    used.push(own);
  }
  const [purely, whole] = [square(pure), square(left)];
  const more = Math.max(0, whole - purely);
  if (more <= 1e-12 * square(centred(y, blocks))) return 1;
  const f = more / moreDf / (purely / pureDf);
  return incompleteBeta(pureDf / (pureDf + moreDf * f), pureDf / 2, moreDf / 2);
}

/** Less the mean of its group. */
function centred(values: readonly number[], groups: readonly number[]): number[] {
  const sums = new Map<number, { sum: number; count: number }>();
  values.forEach((value, i) => {
    const group = sums.get(groups[i] ?? 0) ?? { sum: 0, count: 0 };
    sums.set(groups[i] ?? 0, { sum: group.sum + value, count: group.count + 1 });
  });
  return values.map((value, i) => {
    const { sum: all, count } = sums.get(groups[i] ?? 0) ?? { sum: 0, count: 1 };
    return value - all / count;
  });
}

/** Values without their part along a column. */
function without(values: readonly number[], column: readonly number[]): number[] {
  const length = square(column);
  const along = length === 0 ? 0 : sum(values.map((value, i) => value * (column[i] ?? 0))) / length;
  return values.map((value, i) => value - along * (column[i] ?? 0));
}

function square(values: readonly number[]): number {
  return sum(values.map((value) => value * value));
}
