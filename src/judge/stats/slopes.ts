import { mean, median, sum } from './moments.ts';

/** An estimate with its standard error. */
export interface Slope {
  readonly slope: number;
  readonly error: number;
  readonly df: number;
}

/** A line that loses or wins more than this much of its mean to either side is no trend, but a start or an end. */
const MOST_SHARE = 0.95;

/**
 * ln(end / beginning) of the least-squares line through equally spaced values, from the beginning of the first to the end
 * of the last. For small changes it is the slope of their logarithms, and it takes values of 0. Null for fewer than three
 * values, and where all are 0.
 */
export function logChange(values: readonly number[]): number | null {
  const centre = mean(values);
  if (values.length < 3 || !(centre > 0)) return null;
  const places = values.map((_, i) => (i + 0.5) / values.length - 0.5);
  const slope = sum(places.map((x, i) => x * (values[i] ?? 0))) / sum(places.map((x) => x * x));
  const share = Math.max(-MOST_SHARE, Math.min(MOST_SHARE, slope / centre / 2));
  return Math.log((1 + share) / (1 - share));
}

/** A value of a two-way layout, with what it may depend on besides its row and its column. */
export interface Placed {
  readonly row: number;
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

/** Sweeps of rows and columns; a whole table takes one, gaps take more, ... */
const SWEEPS = 30;
/** ... until none takes out more than this. */
const NOTHING = 1e-14;
/** Less of x than this, as a mean square, is left where rows and columns decide it. */
const LEAST_SQUARE = 1e-6;

/**
 * The slope of y on x when rows and columns have their own effects: least squares on the residuals of x and y (Frisch
 * and Waugh 1933). Null where x follows from row and column, or fewer than two degrees of freedom are left.
 */
export function slopeWithin(values: readonly Placed[]): Slope | null {
  const rows = new Set(values.map(({ row }) => row)).size;
  const columns = new Set(values.map(({ column }) => column)).size;
  const df = values.length - (rows + columns - 1) - 1;
  if (df < 2) return null;
  const [x, y] = [residues(values, ({ x }) => x), residues(values, ({ y }) => y)];
  const squares = sum(x.map((own) => own * own));
  if (squares / values.length < LEAST_SQUARE) return null;
  const slope = sum(x.map((own, i) => own * (y[i] ?? 0))) / squares;
  const rest = sum(x.map((own, i) => ((y[i] ?? 0) - slope * own) ** 2));
  return { slope, error: Math.sqrt(rest / df / squares), df };
}

/** Residuals of the values after rows and columns are taken out. */
function residues(values: readonly Placed[], read: (value: Placed) => number): number[] {
  const left = values.map(read);
  const [rows, columns] = [placesBy(values, ({ row }) => row), placesBy(values, ({ column }) => column)];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    takeOut(left, rows);
    if (takeOut(left, columns) <= NOTHING && sweep > 0) break;
  }
  return left;
}

/** The places of the values of each group. */
function placesBy(values: readonly Placed[], groupOf: (value: Placed) => number): number[][] {
  const groups = new Map<number, number[]>();
  values.forEach((value, place) => {
    const group = groups.get(groupOf(value)) ?? [];
    groups.set(groupOf(value), group);
    group.push(place);
  });
  return [...groups.values()];
}

/** Takes the mean of each group out of its values; returns the largest of these means. */
function takeOut(left: number[], groups: readonly (readonly number[])[]): number {
  let most = 0;
  for (const places of groups) {
    const average = sum(places.map((place) => left[place] ?? 0)) / places.length;
    for (const place of places) left[place] = (left[place] ?? 0) - average;
    most = Math.max(most, Math.abs(average));
  }
  return most;
}

/**
 * The move of each arm's rate (one a turn) from the middle third of its turns to the last, against the other arms: ln
 * of its own change less the median of all. Changes that all share (the machine, compilers that warm up) are taken out.
 * One arm that runs away leaves a median where it is. Null for an arm with fewer than three turns or without answers in
 * either third; a single arm has not moved.
 */
export function runAways(arms: readonly (readonly number[])[]): (number | null)[] {
  const moves = arms.map(moveOf);
  const known = moves.flatMap((move) => move ?? []);
  return moves.map((own) => (own === null ? null : own - median(known)));
}

/** ln(rates in the last third / rates in the middle third): both have as many turns. */
function moveOf(turns: readonly number[]): number | null {
  const third = Math.floor(turns.length / 3);
  if (third === 0) return null;
  const end = turns.length;
  const last = sum(turns.slice(end - third));
  const middle = sum(turns.slice(end - 2 * third, end - third));
  return last > 0 && middle > 0 ? Math.log(last / middle) : null;
}
