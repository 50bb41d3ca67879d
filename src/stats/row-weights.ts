import type { Spread } from './block-noise.ts';
import { moderated, priorDf } from './moderation.ts';
import { mean, median } from './moments.ts';
import type { Table } from './robust-fit.ts';

const MAX_STEPS = 60;

/**
 * How much each row (round) of a table counts, 1 on average: as 1 / (between + within), where `within` is the noise that
 * a row's own turns show and `between` what rows have beside it, by the estimate of Paule and Mandel (Consensus values and
 * weighting factors, 1982). A row measured beside a noisy neighbour so counts for less, whatever it says of the arms: the
 * noise within it comes from its turns, which know nothing of how its arms compare. It is moderated by that of all rows,
 * since few turns do not tell it well; and none is taken for calmer than the usual one, since a few calm rows would then
 * outvote the others by what is luck in good part. All 1 where some row's noise is not known, or fewer than three rows are.
 */
export function rowWeights(table: Table, within: readonly (Spread | null)[]): number[] {
  const known = within.flatMap((spread) => spread ?? []);
  const equal = table.map(() => 1);
  if (known.length < table.length || known.length < 3) return equal;
  const pooled: Spread = {
    variance: mean(known.map(({ variance }) => variance)),
    df: known.reduce((sum, { df }) => sum + df, 0),
  };
  const prior = priorDf([known]);
  const shown = known.map((spread) => moderated(spread, pooled, prior).variance);
  const usualNoise = median(shown);
  const variances = shown.map((variance) => Math.max(variance, usualNoise));
  if (Math.min(...variances) <= 0) return equal;
  const weights = weightsAt(variances, betweenRows(table, variances));
  const usual = mean(weights);
  return weights.map((weight) => weight / usual);
}

function weightsAt(variances: readonly number[], between: number): number[] {
  return variances.map((variance) => 1 / (between + variance));
}

/** The variance at which the weighted squares of what rows and columns leave are as many as their degrees of freedom. */
function betweenRows(table: Table, variances: readonly number[]): number {
  const excess = (between: number): number => squaresLeft(table, weightsAt(variances, between));
  if (excess(0) <= 0) return 0;
  let [low, high] = [0, Math.max(...variances)];
  while (excess(high) > 0) high *= 2;
  for (let step = 0; step < MAX_STEPS; step++) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return high;
}

/** The weighted sum of squares around rows and columns, less its degrees of freedom. Cells without a value are left out. */
function squaresLeft(table: Table, weights: readonly number[]): number {
  const columns = Math.max(0, ...table.map((row) => row.length));
  const centred = table.map((row) => {
    const centre = mean(row.flatMap((value) => value ?? []));
    return row.map((value) => (value === null ? null : value - centre));
  });
  let [squares, cells] = [0, 0];
  for (let column = 0; column < columns; column++) {
    const own = centred.flatMap((row, i) => {
      const value = row[column] ?? null;
      return value === null ? [] : [{ value, weight: weights[i] ?? 1 }];
    });
    const total = own.reduce((sum, { weight }) => sum + weight, 0);
    const centre = own.reduce((sum, { value, weight }) => sum + weight * value, 0) / total;
    squares += own.reduce((sum, { value, weight }) => sum + weight * (value - centre) ** 2, 0);
    cells += own.length;
  }
  return squares - (cells - table.length - columns + 1);
}
