import { mean, squares } from './moments.ts';

/** A variance and how well it is known. */
export interface Spread {
  readonly variance: number;
  /** Degrees of freedom. */
  readonly df: number;
}

/** The noise of one of some values, from their scatter; null for fewer than two. */
export function spreadOf(values: readonly number[]): Spread | null {
  const df = values.length - 1;
  return df < 1 ? null : { variance: squares(values) / df, df };
}

/**
 * The noise of one arm in one round, from all arms of a randomised complete block design: what is left of the values
 * (one row a round, one column an arm) when the level of each round and of each arm is taken out. It has (rounds - 1)
 * (arms - 1) degrees of freedom (Fisher, The Design of Experiments, 1935). Null for fewer than two rounds or arms.
 */
export function blockNoise(rows: readonly (readonly number[])[]): Spread | null {
  const arms = rows[0]?.length ?? 0;
  if (rows.length < 2 || arms < 2) return null;
  const rowMeans = rows.map(mean);
  const armMeans = Array.from({ length: arms }, (_, arm) => mean(rows.map((row) => row[arm] ?? Number.NaN)));
  const centre = mean(rowMeans);
  let squares = 0;
  rows.forEach((row, i) => {
    row.forEach((value, arm) => {
      squares += (value - (rowMeans[i] ?? 0) - (armMeans[arm] ?? 0) + centre) ** 2;
    });
  });
  const df = (rows.length - 1) * (arms - 1);
  return { variance: squares / df, df };
}
