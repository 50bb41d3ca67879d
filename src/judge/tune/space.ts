/** A factor of a space, as the search sees it. */
export interface SearchedFactor {
  /** Where each value lies, from 0 to 1, ascending; null where values have no order. */
  readonly places: readonly number[] | null;
  /** How many values it has. */
  readonly size: number;
}

/** A setting of all factors: the place of its value in each. */
export type Point = readonly number[];

/** All settings of some factors. */
export interface Space {
  readonly factors: readonly SearchedFactor[];
  /** How many there are. */
  readonly size: number;
}

export function spaceOf(factors: readonly SearchedFactor[]): Space {
  return { factors, size: factors.reduce((product, { size }) => product * size, 1) };
}

/** The number of a point in its space, from 0. */
export function numberOf({ factors }: Space, point: Point): number {
  return factors.reduce((number, { size }, factor) => number * size + (point[factor] ?? 0), 0);
}

/** The point of that number. */
export function pointOf({ factors }: Space, number: number): Point {
  const point: number[] = [];
  let rest = number;
  for (const { size } of factors.toReversed()) {
    point.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return point;
}

/**
 * The squared distance of two points. A factor's range is 1 long in units of its `reach`, and values without an order are as
 * far apart.
 */
export function squaredDistance({ factors }: Space, one: Point, other: Point, reach?: readonly number[]): number {
  let sum = 0;
  for (let factor = 0; factor < factors.length; factor++) {
    const [a, b] = [one[factor] ?? 0, other[factor] ?? 0];
    if (a === b) continue;
    const places = factors[factor]?.places ?? null;
    const apart = places === null ? 1 : (places[a] ?? 0) - (places[b] ?? 0);
    sum += (apart / (reach?.[factor] ?? 1)) ** 2;
  }
  return sum;
}

/** The points that differ from another in one factor alone. */
export function besides(space: Space, point: Point): Point[] {
  return space.factors.flatMap(({ size }, factor) =>
    Array.from({ length: size }, (_, value) => point.with(factor, value)).filter(
      (other) => other[factor] !== point[factor],
    ),
  );
}
