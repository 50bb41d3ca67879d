import { createRandom, type Random, seedOf } from '../../base/random.ts';
import { studentTCdf } from '../stats/distributions.ts';
import { factorize, type Lower } from './cholesky.ts';
import { type Estimates, fitLandscape, type Landscape, type Seen } from './landscape.ts';
import { besides, numberOf, type Point, pointOf, type Space } from './space.ts';
import { spread } from './spread.ts';

/** A search as far as it has come. */
export interface Searched {
  readonly space: Space;
  readonly control: Point;
  /** The values of all arms, the control's among them. */
  readonly seen: readonly Seen[];
  /** Numbers of the points that cannot be taken, since server or service refused them, */
  readonly out: ReadonlySet<number>;
  /** and whether others cannot, since they break a limit. */
  readonly breaks?: (point: Point) => boolean;
}

export interface SearchRules {
  /** How many points a round tries at most. */
  readonly slots: number;
  /** Points within this of each other, as a logarithm, are as good. */
  readonly marginLog: number;
  readonly seed: number;
  /** The round that is planned. */
  readonly round: number;
  /** Set where the search ends here, however little it knows. */
  readonly isLast?: true;
}

/** The knowledge of a search, and its next step. */
export interface Prospect {
  /** The points to try in the next round, besides the control. */
  readonly next: readonly Point[];
  /** The model, once the first points were spread; null before. */
  readonly known: Known | null;
}

export interface Known {
  /** The best by estimate, */
  readonly best: Point;
  /** and the best besides the control; null where there is none. */
  readonly bestOther: Point | null;
  /** How much better the true best is expected to be, as a logarithm. */
  readonly gain: number;
  /** The chance that it is better by more than the margin. */
  readonly missed: number;
  /** The logarithm of one point's value against another's, by the model. */
  changeOf(point: Point, against: Point): { readonly mean: number; readonly deviation: number };
  /** The chance that it is more than that. */
  chanceOfBeing(point: Point, against: Point, more: number): number;
}

/** The first rounds spread their points evenly, until there are this many for each factor, and this many besides. */
const SPREAD = { perFactor: 2, besides: 2 };

/** Number of landscapes that are drawn from what is known. */
const DRAWS = 256;

/** In a larger space those that were tried, their neighbours and others by chance are compared in a round. */
const MOST_POINTS = 240;

/** So many of the best so far have their neighbours compared. */
const PARENTS = 3;

/**
 * Proposes the points of the next round. After the first, which are spread evenly, they are the best points of landscapes
 * drawn from the model, so that each is tried as often as it may be the best (Russo and others, A tutorial on Thompson
 * sampling, 2018). Where the best so far is within the margin of a drawn landscape's best, nothing else is asked for. The best
 * so far has the first slot; of a single slot every second round.
 */
export function propose(searched: Searched, { slots, marginLog, seed, round, isLast }: SearchRules): Prospect {
  const { space, control, seen, out } = searched;
  const random = createRandom(seedOf(seed, round, 'search'));
  const taken = new Set([...seen.map(({ point }) => numberOf(space, point)), ...out, numberOf(space, control)]);
  const wanted = SPREAD.perFactor * space.factors.length + SPREAD.besides;
  if (seen.length === 0 || (!isLast && taken.size <= Math.min(wanted, space.size - 1)))
    return { next: spread(space, { count: slots, taken: [...taken] }, random), known: null };
  const landscape = fitLandscape(space, seen);
  const points = pointsToCompare(searched, landscape, random);
  const estimates = landscape(points);
  const own = numberOf(space, control);
  const means = meansOf(estimates);
  const best = indexOfMost(means);
  const others = means.map((mean, place) => (numberOf(space, points[place] ?? control) === own ? -Infinity : mean));
  const challengers = new Set<number>();
  let [gain, missed] = [0, 0];
  for (const drawn of drawLandscapes(estimates, random)) {
    const most = indexOfMost(drawn);
    const better = (drawn[most] ?? 0) - (drawn[best] ?? 0);
    gain += better / DRAWS;
    if (better <= marginLog) continue;
    missed += 1 / DRAWS;
    challengers.add(most);
  }
  // Where one slot is all there is, the best would have it for good.
  const isTheirTurn = slots === 1 && round % 2 === 0;
  const inOrder = isTheirTurn ? [...challengers, best] : [best, ...challengers];
  const next = inOrder.map((index) => points[index] ?? control);
  const other = points[indexOfMost(others)] ?? control;
  return {
    // The control has its own arms.
    next: next.filter((point) => numberOf(space, point) !== own).slice(0, slots),
    known: {
      best: points[best] ?? control,
      bestOther: numberOf(space, other) === own ? null : other,
      gain,
      missed,
      ...comparing(landscape),
    },
  };
}

/** Compares points by a model. */
export function comparing(landscape: Landscape): Pick<Known, 'changeOf' | 'chanceOfBeing'> {
  const changes = (point: Point, against: Point) =>
    landscape([point, against]).map(({ share, means: [one = 0, other = 0], covariance }) => {
      const [first = 0, , both = 0, second = 0] = covariance;
      return { share, mean: one - other, variance: Math.max(1e-12, first + second - 2 * both) };
    });
  return {
    changeOf(point, against) {
      const all = changes(point, against);
      const mean = all.reduce((sum, one) => sum + one.share * one.mean, 0);
      const variance = all.reduce((sum, one) => sum + one.share * (one.variance + (one.mean - mean) ** 2), 0);
      return { mean, deviation: Math.sqrt(variance) };
    },
    chanceOfBeing: (point, against, more) =>
      changes(point, against).reduce(
        (sum, { share, mean, variance }) => sum + share * studentTCdf((mean - more) / Math.sqrt(variance), NORMAL_DF),
        0,
      ),
  };
}

/** Student's distribution with so many degrees of freedom is the normal one. */
const NORMAL_DF = 1e6;

/** The points that may be the best: all of a small space. */
function pointsToCompare(
  { space, control, seen, out, breaks }: Searched,
  landscape: Landscape,
  random: Random,
): Point[] {
  const numbers = new Set<number>();
  const add = (number: number): void => {
    if (numbers.size < MOST_POINTS && !out.has(number) && !breaks?.(pointOf(space, number))) numbers.add(number);
  };
  if (space.size <= MOST_POINTS) {
    for (let number = 0; number < space.size; number++) add(number);
  } else {
    const tried = [...new Map([control, ...seen.map(({ point }) => point)].map((one) => [numberOf(space, one), one]))];
    const means = meansOf(landscape(tried.map(([, point]) => point)));
    const ranked = tried.map(([number, point], place) => ({ number, point, mean: means[place] ?? 0 }));
    ranked.sort((a, b) => b.mean - a.mean);
    for (const { number } of ranked) add(number);
    const near = ranked.slice(0, PARENTS).flatMap(({ point }) => besides(space, point));
    for (const point of random.shuffle(near).slice(0, MOST_POINTS / 2)) add(numberOf(space, point));
    for (let draw = 0; draw < 2 * MOST_POINTS; draw++) add(random.integer(0, space.size - 1));
  }
  if (numbers.size > 0) return [...numbers].map((number) => pointOf(space, number));
  // Where all break a limit, the best of them is the way to one that keeps it.
  return breaks === undefined ? [control] : pointsToCompare({ space, control, seen, out }, landscape, random);
}

/** The estimates of all shapes together, by how likely each is. */
function meansOf(estimates: readonly Estimates[]): Float64Array {
  const sums = new Float64Array(estimates[0]?.means.length ?? 0);
  for (const { share, means } of estimates)
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + share * (means[i] ?? 0);
  return sums;
}

/** Landscapes as they may be, of each shape as many as it is likely. */
function* drawLandscapes(estimates: readonly Estimates[], random: Random): Generator<Float64Array> {
  let [before, drawn] = [0, 0];
  for (const { share, means, covariance } of estimates) {
    before += share;
    const until = Math.round(before * DRAWS);
    if (until === drawn) continue;
    const lower = factorize(Float64Array.from(covariance), means.length);
    for (; drawn < until; drawn++) yield drawLandscape(means, lower, random);
  }
}

function drawLandscape(means: Float64Array, lower: Lower, random: Random): Float64Array {
  const size = means.length;
  const normal = Float64Array.from(means, () => normalDeviate(random));
  return means.map((mean, row) => {
    let sum = mean;
    for (let k = 0; k <= row; k++) sum += (lower[row * size + k] ?? 0) * (normal[k] ?? 0);
    return sum;
  });
}

/** A deviate of the normal distribution (Box and Muller, 1958). */
function normalDeviate(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function indexOfMost(values: Float64Array): number {
  let most = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[most] ?? 0)) most = i;
  return most;
}
