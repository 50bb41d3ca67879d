/**
 * Ways to search that the product's own is compared with. Each ends after a number of rounds that is given: how many they need
 * for the same promise is what the bench finds.
 */
import { groupBy } from '../../../src/base/group-by.ts';
import { createRandom, type Random, seedOf } from '../../../src/base/random.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import type { Searched, SearchRules } from '../../../src/judge/tune/propose.ts';
import { besides, numberOf, type Point, pointOf, type Space } from '../../../src/judge/tune/space.ts';
import { growForest } from './forest.ts';
import type { Strategy } from './session.ts';

/** A point, and its logarithms against the control's two arms, one a round. */
export interface Tried {
  readonly point: Point;
  readonly ratios: readonly number[];
  readonly mean: number;
}

/** The points that were tried, the best by the mean first. */
export function triedIn({ space, control, seen }: Searched): Tried[] {
  const own = numberOf(space, control);
  const byRound = groupBy(seen, ({ round }) => round);
  const ratios = byRound.flatMap((arms) => {
    const level = mean(arms.filter(({ point }) => numberOf(space, point) === own).map(({ value }) => value));
    return arms
      .filter(({ point }) => numberOf(space, point) !== own)
      .map(({ point, value }) => ({ point, ratio: value - level }));
  });
  const byPoint = groupBy(ratios, ({ point }) => numberOf(space, point)).flatMap((all) => {
    const values = all.map(({ ratio }) => ratio);
    return all[0] === undefined ? [] : [{ point: all[0].point, ratios: values, mean: mean(values) }];
  });
  return byPoint.sort((a, b) => b.mean - a.mean);
}

const randomFor = ({ seed, round }: SearchRules): Random => createRandom(seedOf(seed, round, 'strategy'));

/** A point for each slot of a round, anywhere. */
const scattered = (space: Space, { slots }: SearchRules, random: Random): Point[] =>
  Array.from({ length: slots }, () => anywhere(space, random));

const anywhere = (space: Space, random: Random): Point => pointOf(space, random.integer(0, space.size - 1));

/** Of the points that were tried most often, the best. */
function bestOf(tried: readonly Tried[]): Point | null {
  const most = Math.max(0, ...tried.map(({ ratios }) => ratios.length));
  return tried.find(({ ratios }) => ratios.length === most)?.point ?? null;
}

/** Random points in half of the rounds; in the other half the best of them again. */
export const randomSearch =
  (rounds: number): Strategy =>
  (searched, rules) => {
    const random = randomFor(rules);
    const tried = triedIn(searched);
    const isDone = rules.round > rounds;
    const fresh = Array.from({ length: rules.slots }, () => anywhere(searched.space, random));
    const next = rules.round <= Math.ceil(rounds / 2) ? fresh : tried.slice(0, rules.slots).map(({ point }) => point);
    return { next, best: bestOf(tried), isDone };
  };

/** Successive halving (Jamieson and Talwalkar, 2016): as many rounds for each rung, and half as many points in the next. */
export const successiveHalving =
  (rounds: number): Strategy =>
  (searched, rules) => {
    const random = randomFor(rules);
    const tried = triedIn(searched);
    const rungs = Math.max(2, Math.min(4, Math.floor(Math.log2(rounds)) + 1));
    const perRung = rounds / rungs;
    const rung = Math.min(rungs - 1, Math.floor((rules.round - 1) / perRung));
    const first = Math.ceil(perRung) * rules.slots;
    const kept = Math.max(2, Math.floor(first / 2 ** rung));
    if (rung === 0) return { next: scattered(searched.space, rules, random), best: bestOf(tried), isDone: false };
    const alive = tried.slice(0, kept).sort((a, b) => a.ratios.length - b.ratios.length);
    return {
      next: alive.slice(0, rules.slots).map(({ point }) => point),
      best: bestOf(tried),
      isDone: rules.round > rounds,
    };
  };

/** A value near another by the width of the search so far; one without an order, another one now and then. */
function near({ factors }: Space, point: Point, width: number, random: Random): Point {
  return factors.map(({ size, places }, factor) => {
    const own = point[factor] ?? 0;
    if (places === null) return random.next() < width ? random.integer(0, size - 1) : own;
    const reach = Math.max(1, Math.round(width * size));
    return Math.min(size - 1, Math.max(0, own + random.integer(-reach, reach)));
  });
}

/** As irace (López-Ibáñez and others, 2016): elites race in each round, those that are clearly worse are replaced by points near the elites. */
export const racing =
  (rounds: number): Strategy =>
  (searched, rules) => {
    const { space } = searched;
    const random = randomFor(rules);
    const tried = triedIn(searched);
    if (tried.length === 0) return { next: scattered(space, rules, random), best: null, isDone: false };
    // Of two means of this many rounds, at the noise that repeated points show.
    const scatter = noiseIn(tried);
    const [first] = tried;
    const lead = (one: Tried): number => (first?.mean ?? 0) - one.mean;
    const errorOf = (one: Tried): number =>
      scatter * Math.sqrt(1 / one.ratios.length + 1 / (first?.ratios.length ?? 1));
    const elites = tried.filter((one) => lead(one) < 1.5 * errorOf(one)).slice(0, Math.ceil(rules.slots / 2));
    const width = 0.4 * 0.8 ** (rules.round - 1);
    const fresh = Array.from({ length: rules.slots - elites.length }, () =>
      near(space, random.pick(elites).point, width, random),
    );
    const best = tried.toSorted(
      (a, b) => b.mean - scatter / Math.sqrt(b.ratios.length) - a.mean + scatter / Math.sqrt(a.ratios.length),
    );
    return {
      next: [...elites.map(({ point }) => point), ...fresh],
      best: best[0]?.point ?? null,
      isDone: rules.round > rounds,
    };
  };

function noiseIn(tried: readonly Tried[]): number {
  const repeated = tried.filter(({ ratios }) => ratios.length > 1);
  const df = repeated.reduce((sum, { ratios }) => sum + ratios.length - 1, 0);
  if (df === 0) return 0.05;
  const squares = repeated.reduce(
    (sum, one) => sum + one.ratios.reduce((own, ratio) => own + (ratio - one.mean) ** 2, 0),
    0,
  );
  return Math.sqrt(squares / df);
}

/** As SMAC (Hutter and others, 2011): a forest of regression trees, the expected improvement by it, and the incumbent in every round. */
export const forest =
  (rounds: number): Strategy =>
  (searched, rules) => {
    const { space } = searched;
    const random = randomFor(rules);
    const tried = triedIn(searched);
    if (tried.length === 0) return { next: scattered(space, rules, random), best: null, isDone: false };
    const predict = growForest(tried, random);
    const incumbent = tried.toSorted((a, b) => predict(b.point).mean - predict(a.point).mean)[0] ?? tried[0];
    const level = predict(incumbent?.point ?? []).mean;
    const pool = [
      ...tried.slice(0, 3).flatMap(({ point }) => besides(space, point)),
      ...Array.from({ length: 100 }, () => anywhere(space, random)),
    ];
    const ranked = pool.map((point) => ({ point, gain: improvement(predict(point), level) }));
    ranked.sort((a, b) => b.gain - a.gain);
    const chosen = new Map(
      [incumbent?.point ?? [], ...ranked.map(({ point }) => point)].map((one) => [numberOf(space, one), one]),
    );
    return {
      next: [...chosen.values()].slice(0, rules.slots),
      best: incumbent?.point ?? null,
      isDone: rules.round > rounds,
    };
  };

/** The expected improvement over a level, by the normal distribution. */
function improvement(
  { mean: centre, deviation }: { readonly mean: number; readonly deviation: number },
  level: number,
): number {
  if (deviation < 1e-9) return Math.max(0, centre - level);
  const z = (centre - level) / deviation;
  const density = Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI);
  // Of the normal distribution, by Pólya's approximation.
  const below = 0.5 * (1 + Math.sign(z) * Math.sqrt(1 - Math.exp((-2 * z ** 2) / Math.PI)));
  return deviation * (z * below + density);
}
