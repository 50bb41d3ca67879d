import { mean } from './moments.ts';
import type { Spread } from './variance.ts';

/** Logarithms of what some arms did, one row a round and one column an arm; null where an arm has none. */
export type Table = readonly (readonly (number | null)[])[];

export interface RobustFit {
  /** The table with what is odd pulled in: the weighted means of its columns are the estimates of the arms. */
  readonly values: Table;
  /** The residues of `values` after rows and columns, as of an arm of scale 1 in a round of weight 1; null where there is no value. */
  readonly residuals: Table;
  /** The noise of an arm of scale 1 in a round of weight 1, from all arms. */
  readonly noise: Spread;
  /** The noise of each arm by itself, in multiples of its scale; null for an arm in fewer than two rounds. */
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
/** How many of an arm's values are odd is known from few: those of all arms together count like so many more. */
const SHARED_VALUES = 5;
const MAX_STEPS = 50;
const CLOSE = 1e-6;

/** A table and what is made of it, row by row. NaN where there is no value. */
interface Layout {
  readonly rows: number;
  readonly columns: number;
  readonly cells: Float64Array;
  /** How much each cell counts: the weight of its row over the square of its column's scale. */
  readonly weights: Float64Array;
  /** How much of a column's variance its residuals have: rows and the column itself are taken out of them. */
  readonly left: Float64Array;
  /** How many values each column has. */
  readonly counts: Float64Array;
  readonly ofRow: Float64Array;
  readonly ofColumn: Float64Array;
}

/**
 * Huber's M-estimate of a two-way layout (rounds and arms) with its scale (Robust Statistics, 1981: proposal 2, by the
 * modified residuals of chapter 7). An odd start neither moves an arm nor widens its interval by more than a start that
 * is off by two standard deviations. Returns his pseudo-values: an ordinary analysis of variance of them has the
 * variance of the estimate. The correction is 1 + 2 (p / n) (1 - m) / m, where a share m was left as it was. A row's
 * `weight` (1 on average) is higher the less noisy it is. A column's `scale` is a multiple of the table's noise, as a
 * standard deviation. Null where nothing is left to show noise.
 */
export function robustFit(
  table: Table,
  weights: readonly number[] = table.map(() => 1),
  { bend, variance, dfShare }: Bend = huber,
  scales: readonly number[] = [],
): RobustFit | null {
  const layout = layOut(table, weights, scales);
  const count = layout.counts.reduce((all, own) => all + own, 0);
  const parameters = layout.ofRow.filter(Boolean).length + layout.ofColumn.filter(Boolean).length - 1;
  const df = count - parameters;
  if (count === 0 || df < 1) return null;
  layout.ofRow.fill(0);
  layout.ofColumn.fill(0);
  const pulled = layout.cells.slice();
  // One turn is exact for a table without gaps.
  for (let turn = 0; turn < (count === layout.cells.length ? 1 : 8); turn++) fitEffects(layout, pulled);
  const usual = Math.sqrt(squares(layout, residuals(layout, expectations(layout), Number.POSITIVE_INFINITY)) / df);
  let scale = usual;
  let expected = expectations(layout);
  // Without noise a limit of none would be infinity times 0.
  const limitAt = (size: number): number => (Number.isFinite(bend) ? bend * size : bend);
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
  const factors = Array.from({ length: layout.columns }, (_, column) => {
    const whole = shareLeftAsItWas(layout, count, pulledIn, column);
    return (1 + (CORRECTION * (parameters / count) * (1 - whole)) / whole) / whole;
  });
  const pseudo = left.map((value, cell) => (factors[cell % layout.columns] ?? 1) * value);
  return resultOf(layout, { expected, left: pseudo, df, dfShare, pulledIn });
}

function layOut(table: Table, ofRows: readonly number[], scales: readonly number[]): Layout {
  const [rows, columns] = [table.length, Math.max(0, ...table.map((row) => row.length))];
  const cells = new Float64Array(rows * columns).fill(Number.NaN);
  const weights = new Float64Array(rows * columns);
  const [ofRow, ofColumn] = [new Float64Array(rows), new Float64Array(columns)];
  const [counts, taken] = [new Float64Array(columns), new Float64Array(columns)];
  const shares = Array.from({ length: columns }, (_, j) => 1 / (scales[j] ?? 1) ** 2);
  table.forEach((row, i) => {
    let total = 0;
    row.forEach((value, j) => {
      if (value !== null) total += shares[j] ?? 1;
    });
    row.forEach((value, j) => {
      weights[i * columns + j] = (ofRows[i] ?? 1) * (shares[j] ?? 1);
      if (value === null) return;
      cells[i * columns + j] = value;
      ofRow[i] = 1;
      ofColumn[j] = 1;
      counts[j] = (counts[j] ?? 0) + 1;
      taken[j] = (taken[j] ?? 0) + (shares[j] ?? 1) / total;
    });
  });
  const left = counts.map((count, j) => (1 - (taken[j] ?? 0) / count) * (1 - 1 / count));
  return { rows, columns, cells, weights, left, counts, ofRow, ofColumn };
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

/** The residual of each cell, pulled in to +-limit for noise of a cell whose weight is 1: residuals of a fit are narrower. */
function residuals(layout: Layout, expected: Float64Array, limitAtOne: number): Float64Array {
  const { rows, columns, cells, weights, left: narrower } = layout;
  const residual = new Float64Array(cells.length);
  for (let i = 0, cell = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++, cell++) {
      const limit = limitAtOne * Math.sqrt((narrower[j] ?? 1) / (weights[cell] ?? 1));
      const left = (cells[cell] ?? Number.NaN) - (expected[cell] ?? 0);
      residual[cell] = Math.abs(left) < ROUNDING ? 0 : Math.max(-limit, Math.min(limit, left));
    }
  }
  return residual;
}

/** Least squares by turns: of each row what its columns leave, of each column what its rows leave. */
function fitEffects({ rows, columns, weights, ofRow, ofColumn }: Layout, values: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    let [sum, total] = [0, 0];
    for (let j = 0; j < columns; j++) {
      const value = (values[i * columns + j] ?? 0) - (ofColumn[j] ?? 0);
      if (Number.isNaN(value)) continue;
      const weight = weights[i * columns + j] ?? 1;
      sum += weight * value;
      total += weight;
    }
    ofRow[i] = total === 0 ? 0 : sum / total;
  }
  for (let j = 0; j < columns; j++) {
    let [sum, total] = [0, 0];
    for (let i = 0; i < rows; i++) {
      const value = (values[i * columns + j] ?? 0) - (ofRow[i] ?? 0);
      if (Number.isNaN(value)) continue;
      const weight = weights[i * columns + j] ?? 1;
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
    for (let j = 0; j < columns; j++, cell++) {
      const value = values[cell] ?? Number.NaN;
      if (!Number.isNaN(value)) sum += (weights[cell] ?? 1) * value * value;
    }
  }
  return sum;
}

/**
 * The share of an arm's values that were left as they were. Few values show it badly, so that all arms' together count
 * like some more of them. At least half: beyond that the correction for it means nothing.
 */
function shareLeftAsItWas({ counts }: Layout, all: number, pulledIn: readonly PulledIn[], column: number): number {
  const pulled = pulledIn.filter((one) => one.column === column).length;
  return Math.max(
    0.5,
    1 - (pulled + SHARED_VALUES * (pulledIn.length / all)) / ((counts[column] ?? 0) + SHARED_VALUES),
  );
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
  const residuals = values.map((row, i) =>
    row.map((value, j) => {
      const cell = i * columns + j;
      return value === null ? null : (left[cell] ?? 0) * Math.sqrt(layout.weights[cell] ?? 1);
    }),
  );
  const byArm = Array.from({ length: columns }, (_, j) => spreadOfArm(layout, left, j, dfShare));
  return { values, residuals, noise: { variance: squares(layout, left) / df, df: dfShare * df }, byArm, pulledIn };
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

function spreadOfArm(
  { rows, columns, weights, left: share }: Layout,
  left: Float64Array,
  arm: number,
  dfShare: number,
): Spread | null {
  let [squared, count] = [0, 0];
  for (let cell = arm; cell < rows * columns; cell += columns) {
    const value = left[cell] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    squared += (weights[cell] ?? 1) * value * value;
    count++;
  }
  if (count < 2 || columns < 2) return null;
  // Of as many degrees of freedom as there are rounds less one, the rounds' means have taken a part.
  const df = count * (share[arm] ?? 1);
  return df <= 0 ? null : { variance: squared / df, df: dfShare * df };
}
