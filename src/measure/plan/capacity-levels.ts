import type { CapacityGuess } from '../../journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import { isWhole, levelOf } from '../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';

/** How long an arm has at a level on the way up, which only shows where to look, */
const SWEPT_MS = 2000;
/** and, where users pause, which share of the slice that they have for a steady state. */
const SWEPT_SHARE = 0.4;
/** The first way through the range: neighbouring levels are at most a factor of two apart, or so many they are. */
const MOST_SWEPT = 9;
const SWEPT_FACTOR = 2;
/** A level that all arms break by this much ends it; so do two in a row that all of them break. */
const FAR_BEYOND = 2;
/** Around a guess by that: it lies somewhere between two of its levels. */
const FIRST_WIDTH = 0.25;
/** This many levels for each arm, at these shares of its width. */
const PLACES = [-1, -1 / 3, 1 / 3, 1];
const LEAST_COUNTED = (PLACES.length - 1) / 2;
/**
 * Levels of several arms that are nearer than this share of their distance in one arm are one; never two of the same arm,
 * so an arm that is known well keeps its levels beside one that is not.
 */
const NEAR = 0.5;

type Range = Pick<CapacitySpec, 'of' | 'from' | 'to'>;

/** Levels that a search is prepared for: as many as a round has for arms with about one limit, the largest load among them. */
export function levelsToFind({ of, from, to }: Range): LoadLevel[] {
  return PLACES.map((_, i) => levelOf(of, Math.round(from * (to / from) ** (i / (PLACES.length - 1)))));
}

/** How long an arm has at a level on the way up, in milliseconds: no longer than a slice. */
export function sweptMs({ sliceMs, leastSliceMs = 0 }: Pick<LoadSpec, 'sliceMs' | 'leastSliceMs'>): number {
  return Math.min(sliceMs, Math.max(SWEPT_MS, SWEPT_SHARE * leastSliceMs));
}

/** The levels by which a search begins: from the smallest to the largest load, in equal factors. */
export function sweptSizes(range: Range): number[] {
  const { from, to } = range;
  const wanted = Math.ceil(Math.log(to / from) / Math.log(SWEPT_FACTOR)) + 1;
  const count = Math.max(2, Math.min(MOST_SWEPT, wanted));
  return distinctSizes(
    range,
    Array.from({ length: count }, (_, i) => from * (to / from) ** (i / (count - 1))),
  );
}

/** How near an arm came to its nearest limit at a level (1: reached); null where nothing is known. */
export interface SweptLevel {
  readonly size: number;
  /** By arm. */
  readonly stress: ReadonlyMap<string, number | null>;
}

/** True if larger loads would show nothing more of any arm. */
export function isSwept(levels: readonly SweptLevel[]): boolean {
  const [last, before] = [levels.at(-1), levels.at(-2)];
  if (last === undefined) return false;
  const least = Math.min(...stressesAt(last, before));
  return least > FAR_BEYOND || (least > 1 && before !== undefined && Math.min(...stressesAt(before)) > 1);
}

/**
 * By arm. A level that has no value for an arm counts as broken, far if it broke the one before: else a neighbour that takes
 * the CPU for a moment is no reason to look no further.
 */
function stressesAt({ stress }: SweptLevel, before?: SweptLevel): number[] {
  const unknown = (arm: string): number => ((before?.stress.get(arm) ?? 0) > 1 ? Number.POSITIVE_INFINITY : FAR_BEYOND);
  return [...stress].map(([arm, value]) => value ?? unknown(arm));
}

/** Where each arm's limit is by what was swept: between the last level that it kept and the first that it broke. */
export function sweptGuesses(levels: readonly SweptLevel[], { from, to }: Range): CapacityGuess[] {
  const arms = [...(levels[0]?.stress.keys() ?? [])];
  return arms.map((arm) => {
    const at = (index: number): { readonly size: number; readonly stress: number } => {
      const { size, stress } = levels[index] ?? { size: to, stress: new Map() };
      return { size, stress: stress.get(arm) ?? Number.POSITIVE_INFINITY };
    };
    // The last that was kept: a single level that a neighbour has spoilt is no limit.
    const kept = levels.findLastIndex((_, index) => at(index).stress <= 1);
    if (kept < 0) return { arm, size: from, width: 0 };
    if (kept === levels.length - 1) return { arm, size: at(kept).size, width: at(kept).size < to ? FIRST_WIDTH : 0 };
    return { arm, size: between(at(kept), at(kept + 1)), width: FIRST_WIDTH };
  });
}

interface Stressed {
  readonly size: number;
  readonly stress: number;
}

/** Along a straight line of the logarithms; halfway where one end is not finite. */
function between(kept: Stressed, broken: Stressed): number {
  const [low, high] = [Math.log(kept.stress), Math.log(broken.stress)];
  const share = Number.isFinite(low) && Number.isFinite(high) && high > low ? -low / (high - low) : 0.5;
  return kept.size * (broken.size / kept.size) ** share;
}

/**
 * The levels of a round, ascending: for each arm some to either side of its guess. All arms share all of them, so that what the
 * machine does strikes them alike; levels of arms that are about the same are one.
 */
export function searchSizes(guesses: readonly CapacityGuess[], range: Range): number[] {
  const wanted = guesses
    .flatMap(({ arm, size, width }) => {
      const places = width === 0 ? [0] : PLACES;
      // Neighbours among counts differ by one at least.
      const half = isWhole(range.of) ? Math.max(width, LEAST_COUNTED / size) : width;
      const apart = (2 * half) / (PLACES.length - 1);
      return places.map((place) => ({ arm, x: Math.log(size) + place * half, apart }));
    })
    .sort((a, b) => a.x - b.x);
  const groups: WantedLevel[][] = [];
  for (const place of wanted) {
    const group = groups.at(-1);
    if (group !== undefined && belongs(place, group)) group.push(place);
    else groups.push([place]);
  }
  const sizes = groups.map((group) => Math.exp(group.reduce((sum, { x }) => sum + x, 0) / group.length));
  return distinctSizes(range, sizes);
}

/** A level that one arm wants. */
interface WantedLevel {
  readonly arm: string;
  /** ln of a load, and how far the arm's next level is from it. */
  readonly x: number;
  readonly apart: number;
}

function belongs(place: WantedLevel, group: readonly WantedLevel[]): boolean {
  const [first] = group;
  if (first === undefined || group.some(({ arm }) => arm === place.arm)) return false;
  return place.x - first.x <= NEAR * Math.max(first.apart, place.apart);
}

/** Within the range; whole where connections or users are counted, else of four digits. */
function distinctSizes({ of, from, to }: Range, sizes: readonly number[]): number[] {
  const whole = sizes.map((size) => {
    const round = isWhole(of) ? Math.round(size) : Number(size.toPrecision(4));
    return Math.max(from, Math.min(to, round));
  });
  return [...new Set(whole)].sort((a, b) => a - b);
}
