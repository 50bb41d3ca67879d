import type { Random } from '../../base/random.ts';
import { numberOf, type Point, pointOf, type Space, squaredDistance } from './space.ts';

/** The design with the most room between its points is taken of this many. */
const DESIGNS = 40;

/**
 * Points that fill a space evenly, as far from each other and from those that are taken as chance allows: Latin hypercubes
 * with a random place in each part (McKay, Beckman and Conover, 1979), the one with the most room (Morris and Mitchell,
 * Exploratory designs for computational experiments, 1995). `taken`: numbers of points. As many as asked for, or all that are free.
 */
export function spread(
  space: Space,
  { count, taken }: { readonly count: number; readonly taken: readonly number[] },
  random: Random,
): Point[] {
  const before = new Set(taken);
  if (space.size - before.size <= count) {
    const all = Array.from({ length: space.size }, (_, number) => number);
    return all.filter((number) => !before.has(number)).map((number) => pointOf(space, number));
  }
  const away = [...before].map((number) => pointOf(space, number));
  let best: Point[] = [];
  let most = -1;
  for (let design = 0; design < DESIGNS; design++) {
    const points = hypercube(space, count, random).filter((point) => !before.has(numberOf(space, point)));
    const room = roomBetween(space, points, away);
    if (points.length > best.length || (points.length === best.length && room > most)) [best, most] = [points, room];
  }
  return filledUp(space, best, count, before, random);
}

/** As many points as asked for: a design has fewer where some of its points are taken, or are one. */
function filledUp(
  space: Space,
  points: readonly Point[],
  count: number,
  before: ReadonlySet<number>,
  random: Random,
): Point[] {
  const numbers = new Set(points.map((point) => numberOf(space, point)));
  while (numbers.size < count) {
    const number = random.integer(0, space.size - 1);
    if (!before.has(number)) numbers.add(number);
  }
  return [...numbers].map((number) => pointOf(space, number));
}

/** Each factor's range in equal parts, each of which has one point somewhere in it; two that fall on one value are one. */
function hypercube({ factors }: Space, count: number, random: Random): Point[] {
  const columns = factors.map(({ places, size }) =>
    random.shuffle(
      Array.from({ length: count }, (_, part) => {
        const share = (part + random.next()) / count;
        return places === null ? Math.floor(share * size) : nearest(places, share);
      }),
    ),
  );
  const points = Array.from({ length: count }, (_, row) => columns.map((column) => column[row] ?? 0));
  return [...new Map(points.map((point) => [point.join(), point])).values()];
}

function nearest(places: readonly number[], share: number): number {
  const apart = places.map((place) => Math.abs(place - share));
  return apart.indexOf(Math.min(...apart));
}

/** The least distance of two points, or of one and one of the others. */
function roomBetween(space: Space, points: readonly Point[], others: readonly Point[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [place, point] of points.entries()) {
    for (const other of [...points.slice(place + 1), ...others])
      least = Math.min(least, squaredDistance(space, point, other));
  }
  return least;
}
