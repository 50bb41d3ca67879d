import { mean } from './moments.ts';
import type { Spread } from './variance.ts';

/** Logarithms of what some arms did, one row a round and one column an arm; null where an arm has none. */
export type Table = readonly (readonly (number | null)[])[];

export interface RobustFit {
  /** The table with what is odd pulled in: the weighted means of its columns are the estimates of the arms. */
  readonly values: Table;
  /** The noise of one arm in one round of weight 1, from all arms. */
  readonly noise: Spread;
  /** The noise of each arm by itself; null for an arm in fewer than two rounds. */
  readonly byArm: readonly (Spread | null)[];
  /** The values that were pulled in, round by round. */
  readonly pulledIn: readonly PulledIn[];
}

/** A value that is too far from its expectation to count in full. */
export interface PulledIn {
  readonly row: number;
  readonly column: number;
  /** How far ln(value / geometric mean of the other arms in its round) is from what it typically is. */
  readonly off: number;
  /** How far the value is from its expectation, ... */
  readonly residual: number;
  /** ... and how far it counts as, with the same sign. */
  readonly limit: number;
}

/** Which values count for less than they are. */
export interface Bend {
  /** A value further from its expectation than this many standard deviations counts as if it were so far. */
  readonly bend: number;
  /** E[psi^2] of a normal deviate that is pulled in to that. */
  readonly variance: number;
  /** The scale of pulled-in values is known less well than the scale of normal noise. */
  readonly dfShare: number;
}
const huber: Bend = { bend: 2, variance: 0.9205366, dfShare: 0.9 };
/** Each value counts in full: what is left is the analysis of variance. */
export const inFull: Bend = { bend: Number.POSITIVE_INFINITY, variance: 1, dfShare: 1 };
/** The scale is at least this share of the usual one: where most values are equal it would shrink to nothing. */
const LEAST_SCALE = 0.2;
/** Equal values must have no noise, whatever the computer adds. */
const ROUNDING = 1e-12;
/** The correction of the variance for few rounds and arms, twice Huber's: with his, three arms had 2.5 % too little. */
const CORRECTION = 2;
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
 * modified residuals of chapter 7). An odd start neither moves an arm nor widens its interval by more than a start that
 * is off by two standard deviations. Returns his pseudo-values: an ordinary analysis of variance of them has the
 * variance of the estimate. The correction is 1 + 2 (p / n) (1 - m) / m, where a share m was left as it was. A row's
 * `weight` (1 on average) is higher the less noisy it is. Null where nothing is left to show noise.
 */
export function robustFit(
  table: Table,
  weights: readonly number[] = table.map(() => 1),
  { bend, variance, dfShare }: Bend = huber,
): RobustFit | null {
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
  const usual = Math.sqrt(squares(layout, residuals(layout, expectations(layout), Number.POSITIVE_INFINITY)) / df);
  // Residuals of a fit are narrower than the noise.
  const narrower = Math.sqrt(df / count);
  let scale = usual;
  let expected = expectations(layout);
  // Without noise a limit of none would be infinity times 0.
  const limitAt = (size: number): number => (Number.isFinite(bend) ? bend * size * narrower : bend);
  let left = residuals(layout, expected, limitAt(scale));
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = Math.sqrt(squares(layout, left) / (df * variance));
    const before = scale;
    scale = Math.max(LEAST_SCALE * usual, Math.min(usual, next));
    for (let i = 0; i < left.length; i++) pulled[i] = (left[i] ?? 0) + (expected[i] ?? 0);
    fitEffects(layout, pulled);
    expected = expectations(layout);
    left = residuals(layout, expected, limitAt(scale));
    if (Math.abs(scale - before) <= CLOSE * usual) break;
  }
  const pulledIn = pulledInOf(layout, expected, left);
  const whole = shareLeftAsItWas(pulledIn, count);
  const factor = (1 + (CORRECTION * (parameters / count) * (1 - whole)) / whole) / whole;
  const pseudo = left.map((value) => factor * value);
  return resultOf(layout, { expected, left: pseudo, df, dfShare, pulledIn });
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

// A run of many variants is fitted some thousand times: loops over rows and columns take a fifth of the time of functions
// of a cell.

/** The expected value of each cell. */
function expectations({ rows, columns, ofRow, ofColumn }: Layout): Float64Array {
  const expected = new Float64Array(rows * columns);
  for (let i = 0, cell = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++, cell++) expected[cell] = (ofRow[i] ?? 0) + (ofColumn[j] ?? 0);
  }
  return expected;
}

/** The residual of each cell, pulled in to +-limit for a row whose weight is 1. */
function residuals(layout: Layout, expected: Float64Array, limitAtOne: number): Float64Array {
  const { rows, columns, cells, weights } = layout;
  const residual = new Float64Array(cells.length);
  for (let i = 0, cell = 0; i < rows; i++) {
    const limit = limitAtOne / Math.sqrt(weights[i] ?? 1);
    for (let j = 0; j < columns; j++, cell++) {
      const left = (cells[cell] ?? Number.NaN) - (expected[cell] ?? 0);
      residual[cell] = Math.abs(left) < ROUNDING ? 0 : Math.max(-limit, Math.min(limit, left));
    }
  }
  return residual;
}

/** Least squares by turns: of each row what its columns leave, of each column what its rows leave. */
function fitEffects({ rows, columns, weights, ofRow, ofColumn }: Layout, values: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    let [sum, count] = [0, 0];
    for (let j = 0; j < columns; j++) {
      const value = (values[i * columns + j] ?? 0) - (ofColumn[j] ?? 0);
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
    ofRow[i] = count === 0 ? 0 : sum / count;
  }
  for (let j = 0; j < columns; j++) {
    let [sum, total] = [0, 0];
    for (let i = 0; i < rows; i++) {
      const value = (values[i * columns + j] ?? 0) - (ofRow[i] ?? 0);
      if (Number.isNaN(value)) continue;
      const weight = weights[i] ?? 1;
      sum += weight * value;
      total += weight;
    }
    ofColumn[j] = total === 0 ? 0 : sum / total;
  }
}

/** The weighted sum over all columns. */
function squares({ rows, columns, weights }: Layout, values: Float64Array): number {
  let sum = 0;
  for (let i = 0, cell = 0; i < rows; i++) {
    const weight = weights[i] ?? 1;
    for (let j = 0; j < columns; j++, cell++) {
      const value = values[cell] ?? Number.NaN;
      if (!Number.isNaN(value)) sum += weight * value * value;
    }
  }
  return sum;
}

/** At least half: beyond that the correction for it means nothing. */
function shareLeftAsItWas(pulledIn: readonly PulledIn[], count: number): number {
  return Math.max(0.5, 1 - pulledIn.length / count);
}

interface Fitted {
  readonly expected: Float64Array;
  readonly left: Float64Array;
  readonly df: number;
  readonly dfShare: number;
  readonly pulledIn: readonly PulledIn[];
}

function resultOf(layout: Layout, { expected, left, df, dfShare, pulledIn }: Fitted): RobustFit {
  const { rows, columns } = layout;
  const values = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (__, j) => {
      const cell = i * columns + j;
      const value = (expected[cell] ?? 0) + (left[cell] ?? Number.NaN);
      return Number.isNaN(value) ? null : value;
    }),
  );
  const byArm = Array.from({ length: columns }, (_, j) => spreadOfArm(layout, left, j));
  return { values, noise: { variance: squares(layout, left) / df, df: dfShare * df }, byArm, pulledIn };
}

function pulledInOf({ rows, columns, cells }: Layout, expected: Float64Array, left: Float64Array): PulledIn[] {
  const pulled: PulledIn[] = [];
  for (let row = 0, cell = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, cell++) {
      const [residual, limit] = [(cells[cell] ?? 0) - (expected[cell] ?? 0), left[cell] ?? 0];
      if (!(Math.abs(residual - limit) >= ROUNDING)) continue;
      const others = Array.from({ length: columns }, (_, j) => row * columns + j)
        .filter((other) => other !== cell && !Number.isNaN(cells[other]))
        .map((other) => (cells[other] ?? 0) - (expected[other] ?? 0));
      pulled.push({ row, column, off: residual - (others.length === 0 ? 0 : mean(others)), residual, limit });
    }
  }
  return pulled;
}

function spreadOfArm({ rows, columns, weights }: Layout, left: Float64Array, arm: number): Spread | null {
  let [squared, count] = [0, 0];
  for (let i = 0; i < rows; i++) {
    const value = left[i * columns + arm] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    squared += (weights[i] ?? 1) * value * value;
    count++;
  }
  const df = count - 1;
  if (df < 1 || columns < 2) return null;
  // The round's mean, which is taken out, is in part the arm's own.
  return { variance: ((squared / df) * columns) / (columns - 1), df };
}
