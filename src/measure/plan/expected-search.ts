import { createRandom, type Random } from '../../base/random.ts';
import type { CapacityGuess } from '../../journal/capacity/capacity-records.ts';
import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import { levelOf, traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { isSwept, type SweptLevel, searchSizes, sweptGuesses, sweptSizes } from './capacity-levels.ts';
import type { PassCosts } from './pass-time.ts';
import { latenciesAtLimit, passOfAllMs, type SearchedArm, type SearchLoad, sweptPassMs } from './search-time.ts';

/** How often the search is run, each time with other limits. */
const DRAWS = 100;
/** Limits of variants lie apart by up to this factor to either side of a typical one, */
const MOST_APART = 3;
/** and where an arm seems to have it, by up to this much to either side of where it is, as a logarithm: more on busy machines. */
const MOST_NOISE = 0.3;
/** Under more load than it sustains, a service answers at up to this many times the rate at its limit, or at this part of it. */
const BEYOND_LIMIT = 1.5;
/** At a rate metrics grow much faster than the load near a limit; where clients wait for answers, as fast as their number. */
const STEEPNESS = 4;
/** Widths of guesses after the first round, as logarithms: the least and the most (src/judge/verdicts/capacity). */
export const LEAST_WIDTH = 0.02;
const MOST_WIDTH = 0.3;
/** Share of draws beyond each of the bounds. */
const TAIL = 0.01;
/** Load takes so much longer on a busy machine, whose services answer less and keep more waiting. */
const BUSY_SHARE = 0.15;

/** Time under load on a busy machine, in ms. */
export function busyTime(ms: number): number {
  return (1 + BUSY_SHARE) * ms;
}

/** Time under load of a round of a search. */
export interface SearchTime {
  readonly passes: number;
  /** Total of all arms, in ms. */
  readonly roundMs: number;
  /** Total of the way up through the range and of the levels that it finds, in ms. */
  readonly firstRoundMs: number;
}

/** The medians of many searches, and bounds that 98 % of them keep; the upper ones also on a busy machine. */
export interface ExpectedSearch {
  readonly median: SearchTime;
  readonly least: SearchTime;
  readonly most: SearchTime;
}

/**
 * How long the rounds of a search take, before anything is known of its arms: it is run many times, as run/levels/ does, with
 * limits that are drawn from its range. `variants`: the variant of each arm.
 */
export function expectedSearch(load: SearchLoad, variants: readonly string[], costs: PassCosts): ExpectedSearch {
  const [usual = [], slowest = []] = latenciesAtLimit(load).map((latencyMs) =>
    searchTimes(load, variants, costs, latencyMs),
  );
  const most = quantile(slowest, 1 - TAIL);
  return {
    median: quantile(usual, 0.5),
    least: quantile(usual, TAIL),
    most: { ...most, roundMs: busyTime(most.roundMs), firstRoundMs: busyTime(most.firstRoundMs) },
  };
}

/** Many searches, the same ones whatever their answers take at a limit. */
function searchTimes(load: SearchLoad, variants: readonly string[], costs: PassCosts, latencyMs: number): SearchTime[] {
  const random = createRandom('limits of a search');
  return Array.from({ length: DRAWS }, () => {
    const arms = drawnArms(load.capacity, variants, random).map((arm) => ({ ...arm, latencyMs }));
    return searchTime(load, arms, costs, LEAST_WIDTH + random.next() * (MOST_WIDTH - LEAST_WIDTH));
  });
}

/** Each time by itself. */
function quantile(times: readonly SearchTime[], share: number): SearchTime {
  const of = (key: keyof SearchTime): number =>
    times.map((time) => time[key]).sort((a, b) => a - b)[Math.round(share * (times.length - 1))] ?? 0;
  return { passes: of('passes'), roundMs: of('roundMs'), firstRoundMs: of('firstRoundMs') };
}

/** Limits within the range, as likely in each part of it by factors; those of variants are more or less apart. */
function drawnArms(
  { from, to }: CapacitySpec,
  variants: readonly string[],
  random: Random,
): Omit<SearchedArm, 'latencyMs'>[] {
  const apart = random.next() * Math.min(Math.log(MOST_APART), Math.log(to / from) / 2);
  const typical = Math.log(from) + apart + random.next() * (Math.log(to / from) - 2 * apart);
  const noise = random.next() * MOST_NOISE;
  const beyond = BEYOND_LIMIT ** (2 * random.next() - 1);
  const around = (): number => 2 * random.next() - 1;
  const limits = new Map([...new Set(variants)].map((name) => [name, typical + apart * around()]));
  return variants.map((name) => {
    const limit = Math.exp((limits.get(name) ?? typical) + noise * around());
    return { limit, capacity: beyond * limit };
  });
}

/** One search; `width` is that of guesses in a later round. */
function searchTime(load: SearchLoad, arms: readonly SearchedArm[], costs: PassCosts, width: number): SearchTime {
  const { capacity: range } = load;
  const swept: SweptLevel[] = [];
  let sweptLoadMs = 0;
  for (const size of sweptSizes(range)) {
    const level = levelOf(range.of, size);
    swept.push({ size, stress: new Map(arms.map(({ limit }, arm) => [String(arm), stressOf(level, size / limit)])) });
    sweptLoadMs += sweptPassMs(load, level, arms, costs);
    if (isSwept(swept)) break;
  }
  const guesses = sweptGuesses(swept, range);
  const levelsBy = (found: readonly CapacityGuess[]): LoadLevel[] =>
    searchSizes(found, range).map((size) => levelOf(range.of, size));
  const timeOf = (levels: readonly LoadLevel[]): number =>
    levels.reduce((sum, level) => sum + passOfAllMs(load, level, arms, costs), 0);
  const later = levelsBy(guesses.map((guess) => ({ ...guess, width: guess.width === 0 ? 0 : width })));
  return { passes: later.length, roundMs: timeOf(later), firstRoundMs: sweptLoadMs + timeOf(levelsBy(guesses)) };
}

/** How far an arm is towards its limit: 1 where it is reached. */
function stressOf(level: LoadLevel, share: number): number {
  return traitsOf(level).isOpenLoop ? share ** STEEPNESS : share;
}
