import type { Spread } from './block-noise.ts';

/** Logarithms of what some arms did, one row a round and one column an arm; null where an arm has none. */
export type Table = readonly (readonly (number | null)[])[];

export interface RobustFit {
  /** The table with what is odd pulled in: the weighted means of its columns are the estimates of the arms. */
  readonly values: Table;
  /** The noise of one arm in one round of weight 1, from all arms. */
  readonly noise: Spread;
  /** The same of each arm by itself; null for one in fewer than two rounds. */
  readonly byArm: readonly (Spread | null)[];
}

/** A value further from its expectation than so many standard deviations counts as if it were so far. */
const BEND = 2;
/** E[psi^2] of a normal deviate that is pulled in to +-BEND. */
const BEND_VARIANCE = 0.9205366;
/** The scale is at least this share of the usual one: where most values are equal it would shrink to nothing. */
const LEAST_SCALE = 0.2;
/** Equal values must have no noise, whatever the computer adds. */
const ROUNDING = 1e-12;
/**
 * The correction of the variance for few rounds and arms, twice Huber's: with his, three arms had 2.5 % too little. And
 * the scale of what is pulled in is known a tenth less well than that of normal noise.
 */
const CORRECTION = 2;
const DF_SHARE = 0.9;
const MAX_STEPS = 50;
const CLOSE = 1e-6;

/** A table and what is made of it, row by row. NaN where there is no value. */
interface Layout {
  readonly rows: number;
  readonly columns: number;
  readonly cells: Float64Array;
  /** How much each row counts. */
  readonly weights: Float64Array;
  readonly ofRow: Float64Array;
  readonly ofColumn: Float64Array;
}

/**
 * Huber's M-estimate of a two-way layout (rounds and arms) with its scale (Robust Statistics, 1981: proposal 2, by the
 * modified residuals of chapter 7). A start that is odd, by a tenth of the rate or by half of it, neither moves an arm
 * nor widens its interval by more than one that is off by two standard deviations. What is returned are his
 * pseudo-values: an ordinary analysis of variance of them has the variance of the estimate, with a correction
 * 1 + 2 (p / n) (1 - m) / m, where a share m was left as it was. A row's `weight` (1 on average) says how much less
 * noisy it is than others. Null where nothing is left to see noise by.
 */
export function robustFit(table: Table, weights: readonly number[] = table.map(() => 1)): RobustFit | null {
  const layout = layOut(table, weights);
  const count = layout.cells.filter((value) => !Number.isNaN(value)).length;
  const parameters = layout.ofRow.filter(Boolean).length + layout.ofColumn.filter(Boolean).length - 1;
  const df = count - parameters;
  if (count === 0 || df < 1) return null;
  layout.ofRow.fill(0);
  layout.ofColumn.fill(0);
  const pulled = layout.cells.slice();
  // One turn is exact for a table without gaps.
  for (let turn = 0; turn < (count === layout.cells.length ? 1 : 8); turn++) fitEffects(layout, pulled);
  const usual = Math.sqrt(squares(layout, residuals(layout, Number.POSITIVE_INFINITY)) / df);
  // Residuals of a fit are narrower than the noise.
  const narrower = Math.sqrt(df / count);
  let scale = usual;
  let left = residuals(layout, BEND * scale * narrower);
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = Math.sqrt(squares(layout, left) / (df * BEND_VARIANCE));
    const before = scale;
    scale = Math.max(LEAST_SCALE * usual, Math.min(usual, next));
    left.forEach((value, i) => {
      pulled[i] = value + expected(layout, i);
    });
    fitEffects(layout, pulled);
    left = residuals(layout, BEND * scale * narrower);
    if (Math.abs(scale - before) <= CLOSE * usual) break;
  }
  const whole = shareLeftAsItWas(layout, left, count);
  const factor = (1 + (CORRECTION * (parameters / count) * (1 - whole)) / whole) / whole;
  return resultOf(
    layout,
    left.map((value) => factor * value),
    df,
  );
}

function layOut(table: Table, weights: readonly number[]): Layout {
  const [rows, columns] = [table.length, Math.max(0, ...table.map((row) => row.length))];
  const cells = new Float64Array(rows * columns).fill(Number.NaN);
  const [ofRow, ofColumn] = [new Float64Array(rows), new Float64Array(columns)];
  table.forEach((row, i) => {
    row.forEach((value, j) => {
      if (value === null) return;
      cells[i * columns + j] = value;
      ofRow[i] = 1;
      ofColumn[j] = 1;
    });
  });
  return { rows, columns, cells, weights: Float64Array.from(weights), ofRow, ofColumn };
}

function expected({ ofRow, ofColumn, columns }: Layout, cell: number): number {
  return (ofRow[Math.floor(cell / columns)] ?? 0) + (ofColumn[cell % columns] ?? 0);
}

/** The residual of each cell, pulled in to +-limit for a row whose weight is 1. */
function residuals(layout: Layout, limitAtOne: number): Float64Array {
  return layout.cells.map((value, i) => {
    const left = value - expected(layout, i);
    if (Number.isNaN(left)) return left;
    const limit = limitAtOne / Math.sqrt(weightOf(layout, i));
    return Math.abs(left) < ROUNDING ? 0 : Math.max(-limit, Math.min(limit, left));
  });
}

function weightOf({ weights, columns }: Layout, cell: number): number {
  return weights[Math.floor(cell / columns)] ?? 1;
}

/** Least squares by turns: of each row what its columns leave, of each column what its rows leave. */
function fitEffects({ rows, columns, weights, ofRow, ofColumn }: Layout, values: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    ofRow[i] = meanOf(columns, (j) => (values[i * columns + j] ?? 0) - (ofColumn[j] ?? 0));
  }
  for (let j = 0; j < columns; j++) {
    ofColumn[j] = meanOf(
      rows,
      (i) => (values[i * columns + j] ?? 0) - (ofRow[i] ?? 0),
      (i) => weights[i] ?? 1,
    );
  }
}

/** The mean of those that are numbers; 0 where there is none. */
function meanOf(count: number, at: (i: number) => number, weightAt: (i: number) => number = () => 1): number {
  let [sum, total] = [0, 0];
  for (let i = 0; i < count; i++) {
    const value = at(i);
    if (Number.isNaN(value)) continue;
    sum += weightAt(i) * value;
    total += weightAt(i);
  }
  return total === 0 ? 0 : sum / total;
}

/** The weighted sum. */
function squares(layout: Layout, values: Float64Array): number {
  return values.reduce((sum, value, i) => (Number.isNaN(value) ? sum : sum + weightOf(layout, i) * value * value), 0);
}

/** At least half: beyond that the correction for it means nothing. */
function shareLeftAsItWas(layout: Layout, left: Float64Array, count: number): number {
  const whole = layout.cells.filter(
    (value, i) => Math.abs(value - expected(layout, i) - (left[i] ?? 0)) < ROUNDING,
  ).length;
  return Math.max(0.5, whole / count);
}

function resultOf(layout: Layout, left: Float64Array, df: number): RobustFit {
  const { rows, columns } = layout;
  const values = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (__, j) => {
      const cell = i * columns + j;
      const value = expected(layout, cell) + (left[cell] ?? Number.NaN);
      return Number.isNaN(value) ? null : value;
    }),
  );
  const byArm = Array.from({ length: columns }, (_, j): Spread | null => {
    const own = left.map((value, cell) => (cell % columns === j ? value : Number.NaN));
    const df = own.filter((value) => !Number.isNaN(value)).length - 1;
    if (df < 1 || columns < 2) return null;
    // The round's mean, which is taken out, is in part the arm's own.
    return { variance: ((squares(layout, own) / df) * columns) / (columns - 1), df };
  });
  return { values, noise: { variance: squares(layout, left) / df, df: DF_SHARE * df }, byArm };
}
