import { mean, median } from './moments.ts';
import type { Table } from './robust-fit.ts';
import { moderated, priorDf, type Spread } from './variance.ts';

const MAX_STEPS = 60;

/**
 * The weight of each row (round) of a table, 1 on average: 1 / (between + within). `within` is the noise that a row's
 * own turns show, and `between` is what rows have beside it, by the estimate of Paule and Mandel (Consensus values and
 * weighting factors, 1982). So a row measured beside a noisy neighbour counts for less, whatever it says about the
 * arms: turns know nothing of how arms compare. `within` is moderated by all rows, since few turns show it badly. No
 * row is taken to be calmer than the usual one, since a few calm rows would then outvote the others by luck. All 1
 * where some row's noise is not known, or fewer than three rows are.
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
  const centred = centredRows(table);
  const excess = (between: number): number => squaresLeft(centred, weightsAt(variances, between));
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

/** Each row less the mean of its values. */
function centredRows(table: Table): Table {
  return table.map((row) => {
    const centre = mean(row.flatMap((value) => value ?? []));
    return row.map((value) => (value === null ? null : value - centre));
  });
}

/**
 * The weighted sum of squares around rows and columns, less its degrees of freedom; 0 where it has none. Cells without a value are
 * left out.
 * Asked for some sixty times a table, so that it makes no lists.
 */
function squaresLeft(centred: Table, weights: readonly number[]): number {
  const columns = Math.max(0, ...centred.map((row) => row.length));
  const rows = centred.filter((row) => row.some((value) => value !== null)).length;
  let [squares, cells, known] = [0, 0, 0];
  for (let column = 0; column < columns; column++) {
    let [total, weighted, own] = [0, 0, 0];
    for (let i = 0; i < centred.length; i++) {
      const value = centred[i]?.[column] ?? null;
      if (value === null) continue;
      total += weights[i] ?? 1;
      weighted += (weights[i] ?? 1) * value;
      cells++;
    }
    if (total === 0) continue;
    known++;
    const centre = weighted / total;
    for (let i = 0; i < centred.length; i++) {
      const value = centred[i]?.[column] ?? null;
      if (value !== null) own += (weights[i] ?? 1) * (value - centre) ** 2;
    }
    squares += own;
  }
  const degrees = cells - rows - known + 1;
  return degrees > 0 ? squares - degrees : 0;
}
