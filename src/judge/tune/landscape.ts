import { factorize, type Lower, logDeterminant, solveLower } from './cholesky.ts';
import { type Point, type Space, spaceOf, squaredDistance } from './space.ts';

/** The value of an arm in a round. */
export interface Seen {
  readonly round: number;
  readonly point: Point;
  /** The logarithm of the judged metric: more is better. */
  readonly value: number;
}

/** The shape of a landscape, and the noise of an arm in a round; all as logarithms. */
export interface Shape {
  /** Over how much of each factor's range the landscape stays alike. */
  readonly reach: readonly number[];
  /** The standard deviation of the landscape, and of the noise. */
  readonly height: number;
  readonly noise: number;
}

/** Estimates and covariance of a landscape at some points, against the level of their rounds, if it has one of the likely shapes. */
export interface Estimates {
  /** How likely that shape is; all together 1. */
  readonly share: number;
  readonly means: Float64Array;
  readonly covariance: Lower;
}

/** A landscape that was fitted to what arms did: its estimates at points, for each likely shape. */
export type Landscape = (points: readonly Point[]) => readonly Estimates[];

/**
 * Believed of a shape before anything is seen: medians, and how many times more or less is one standard deviation away. Of
 * more factors fewer matter much, and each reaches further (Hvarfner and others, Vanilla Bayesian optimization performs great in
 * high dimensions, 2024).
 */
const believed = {
  reach: { median: 0.35, times: 2.5 },
  height: { median: 0.15, times: 2.7 },
  noise: { median: 0.03, times: 2 },
} as const;

/** Rounds differ by more than anything else, and their level tells nothing: its variance, as a logarithm. */
const ROUND_VARIANCE = 1;

/** Degrees of freedom of the noise: an odd start counts for less. */
const TAILS = 4;

/** By how much parameters are moved to find the likeliest shape. */
const STEPS = [2, 1.4, 1.2] as const;

/** A landscape may reach less far than the likeliest, or further: few points hardly tell. Shapes less likely than this share are left out. */
const REACHES = [0.35, 0.6, 1, 1.6] as const;
const LEAST_SHARE = 0.02;

/**
 * A Gaussian process (Matérn 5/2, a reach for each factor) over what arms did: an arm's logarithm is the level of its
 * round, the landscape at its point, and noise (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006,
 * 2.2 and 5.4). Its shape is likely by what was seen and by what is believed. Values that do not fit count for less, by
 * Student's t.
 */
export function fitLandscape(space: Space, seen: readonly Seen[]): Landscape {
  const table = tableOf(space, seen);
  const plain = new Float64Array(seen.length).fill(1);
  const first = likeliest(table, plain, usualShape(space));
  const weights = weightsOf(solve(table, plain, first));
  const shape = likeliest(table, weights, first);
  const shapes = REACHES.map((times) => ({ ...shape, reach: shape.reach.map((reach) => times * reach) }));
  const solved = shapes.map((one) => solve(table, weights, one));
  const most = Math.max(...solved.map(likelihood));
  const parts = solved.map((one) => ({ one, part: Math.exp(likelihood(one) - most) }));
  const kept = parts.filter(({ part }) => part >= LEAST_SHARE);
  const all = kept.reduce((sum, { part }) => sum + part, 0);
  return (points) => kept.map(({ one, part }) => ({ share: part / all, ...predict(space, seen, one, points) }));
}

function usualShape({ factors }: Space): Shape {
  const { reach, height, noise } = believed;
  const each = reach.median * Math.sqrt(factors.length);
  return { reach: factors.map(() => each), height: height.median, noise: noise.median };
}

interface Table {
  readonly size: number;
  readonly values: Float64Array;
  readonly rounds: readonly number[];
  /** The squared distance of each pair of arms, by factor; the lower triangle. */
  readonly apart: readonly Lower[];
}

function tableOf(space: Space, seen: readonly Seen[]): Table {
  const size = seen.length;
  const apart = space.factors.map((factor, place) => {
    const alone = spaceOf([factor]);
    const own = new Float64Array(size * size);
    const values = seen.map(({ point }) => [point[place] ?? 0]);
    for (const [row, value] of values.entries())
      for (let column = 0; column < row; column++)
        own[row * size + column] = squaredDistance(alone, value, values[column] ?? value);
    return own;
  });
  const level = seen.reduce((sum, { value }) => sum + value, 0) / Math.max(1, size);
  return {
    size,
    values: Float64Array.from(seen, ({ value }) => value - level),
    rounds: seen.map(({ round }) => round),
    apart,
  };
}

/** How alike a landscape is at that squared distance, in units of its reach: Matérn 5/2. */
function likeness(squared: number): number {
  const r = Math.sqrt(5 * squared);
  return (1 + r + (5 / 3) * squared) * Math.exp(-r);
}

type Solved = ReturnType<typeof solve>;

/**
 * Cholesky's factor of the covariance that values have by a shape, and the values by it: were the shape the true one, these
 * would be independent, each with a variance of 1.
 */
function solve({ size, values, rounds, apart }: Table, weights: Float64Array, shape: Shape) {
  const matrix = new Float64Array(size * size);
  const variance = shape.height ** 2;
  for (const [factor, own] of apart.entries()) {
    const perReach = 1 / (shape.reach[factor] ?? 1) ** 2;
    for (let at = 0; at < own.length; at++) matrix[at] = (matrix[at] ?? 0) + perReach * (own[at] ?? 0);
  }
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < row; column++) {
      const at = row * size + column;
      matrix[at] = variance * likeness(matrix[at] ?? 0) + (rounds[row] === rounds[column] ? ROUND_VARIANCE : 0);
    }
    matrix[row * size + row] = variance + ROUND_VARIANCE + shape.noise ** 2 / (weights[row] ?? 1);
  }
  const lower = factorize(matrix, size);
  return { shape, lower, residuals: solveLower(lower, size, Float64Array.from(values)) };
}

/** The logarithm of how likely a shape is, but for a constant. */
function likelihood({ shape, lower, residuals }: Solved): number {
  return -(dot(residuals, residuals) + logDeterminant(lower, residuals.length)) / 2 + belief(shape);
}

function belief({ reach, height, noise }: Shape): number {
  const of = (value: number, { median, times }: { readonly median: number; readonly times: number }): number =>
    -((Math.log(value / median) / Math.log(times)) ** 2) / 2;
  const { median, times } = believed.reach;
  const each = { median: median * Math.sqrt(reach.length), times };
  return reach.reduce((sum, one) => sum + of(one, each), of(height, believed.height) + of(noise, believed.noise));
}

/** Climbs to the likeliest shape, one parameter after the other, by steps that get smaller. */
function likeliest(table: Table, weights: Float64Array, from: Shape): Shape {
  const unpack = ([noise = 0, height = 0, ...reach]: readonly number[]): Shape => ({ reach, height, noise });
  let best: readonly number[] = [from.noise, from.height, ...from.reach];
  let most = likelihood(solve(table, weights, from));
  for (const step of STEPS) {
    for (let parameter = 0; parameter < best.length; parameter++) {
      for (const times of [step, 1 / step]) {
        let moved = false;
        for (;;) {
          const next = best.with(parameter, (best[parameter] ?? 1) * times);
          const found = likelihood(solve(table, weights, unpack(next)));
          if (!(found > most)) break;
          [best, most, moved] = [next, found, true];
        }
        if (moved) break;
      }
    }
  }
  return unpack(best);
}

/** How much each value counts: by how far it is from what all others let expect. */
function weightsOf({ lower, residuals }: Solved): Float64Array {
  const size = residuals.length;
  return residuals.map((_, row) => {
    const unit = solveLower(lower, size, new Float64Array(size).fill(1, row, row + 1));
    return (TAILS + 1) / (TAILS + dot(unit, residuals) ** 2 / dot(unit, unit));
  });
}

function predict(space: Space, seen: readonly Seen[], { shape, lower, residuals }: Solved, points: readonly Point[]) {
  const variance = shape.height ** 2;
  const between = (one: Point, other: Point): number =>
    variance * likeness(squaredDistance(space, one, other, shape.reach));
  const explained = points.map((point) => {
    const shared = Float64Array.from(seen, (one) => between(point, one.point));
    return solveLower(lower, seen.length, shared);
  });
  const count = points.length;
  const covariance = new Float64Array(count * count);
  for (let row = 0; row < count; row++) {
    for (let column = 0; column <= row; column++)
      covariance[row * count + column] =
        between(points[row] ?? [], points[column] ?? []) - dot(explained[row], explained[column]);
  }
  return { means: Float64Array.from(explained, (own) => dot(own, residuals)), covariance };
}

function dot(one: Float64Array = new Float64Array(), other: Float64Array = new Float64Array()): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] ?? 0) * (other[i] ?? 0);
  return sum;
}
