import type { LengthsRecord, LevelSpread } from '../../journal/length-records.ts';
import { answersFor } from '../../journal/run/percentiles.ts';
import type { LoadLevel, RoundsSpec } from '../../journal/scenario-record.ts';
import { VERDICT_ROUNDS } from './least-rounds.ts';
import { LONGEST_SLICE_MS, sliceForWaits } from './turn-length.ts';

/**
 * Scatter of warm arms between starts, for a run that does not know it yet: in sweeps on shared VMs 2 to 3 % of an arm's rate
 * in a round remained beyond its turns, in recordings of identical arms 0 to 2.5 %. It counts like this many degrees of
 * freedom.
 */
const USUAL_BETWEEN = 0.02 ** 2;
const USUAL_DF = 8;
/** Estimates of a small variance come out as 0, or below, and one start would then be all that it takes. */
const LEAST_BETWEEN = 0.01 ** 2;
/** As many as its budget allows, a run has at least this many rounds; and never under four, before which there are no verdicts. */
const WANTED_ROUNDS = 6;
const LEAST_ROUNDS = VERDICT_ROUNDS;
/** Slices get longer for waits as long as this many rounds fit: `same` takes five. */
const ROUNDS_WITH_WAITS = 5;
/** This many answers of each arm in each round that p99 of the round alone is more than luck. */
const WANTED_ANSWERS = answersFor(99);
/** How much of the budget that is left is used: no round takes exactly as long as the last. */
const USED_SHARE = 0.97;

export interface LevelToTime {
  readonly load: LoadLevel;
  /** As it is now; it stays where the noise of the level is not known. */
  readonly sliceMs: number;
  /** As it was in the run's first round. */
  readonly firstMs: number;
  /** Shorter, and there are no turns worth the name. */
  readonly leastMs: number;
  readonly spread: LevelSpread | null;
  /** Share of all arms that it has; absent where it has all. */
  readonly share?: number;
  /** Set where turns hid waits: how long turns are at least, and the longest latency seen. */
  readonly hidden?: { readonly leastTurnMs: number; readonly longestMs: number };
}

export interface TimeToDivide {
  readonly levels: readonly LevelToTime[];
  /** Time of a round besides its slices: starts, warm-up, stops. */
  readonly besideMs: number;
  /** Time that a millisecond of slice at one level takes in all arms, with drains and the time between turns. */
  readonly costPerMs: number;
  /** How much of the budget is left; infinite where there is none: then slices together take as long as in the first round. */
  readonly leftMs: number;
  readonly roundsDone: number;
  readonly mostRounds: RoundsSpec['max'];
}

/**
 * How long slices are from the next round on. With V the variance of a round's ln(rate) at the worst load level, the
 * variance of a whole run is V / rounds, so what is least is V times the length of a round: Kalibera and Jones's choice of
 * repetitions at each level by its variance and its cost (Rigorous Benchmarking in Reasonable Time, 2013, section 5), for one
 * load level sqrt(cost of a start / cost of a second x variance within / variance between) seconds. Within a round, time goes
 * to the load levels so that the largest variance is least.
 *
 * What stays with an arm for a whole run adds the same to the variance whatever the lengths are, and so changes no choice.
 *
 * Only variances and costs go in, and all arms have the same lengths. Sample variances tell nothing of which arm is faster,
 * so verdicts after lengths chosen by them err no more often (Stein, A two-sample test, 1945).
 *
 * Where turns that hide no waits would leave fewer than two, the slice is a whole one and has room for twenty of the longest
 * waits, as far as the budget has five such rounds.
 */
export function divideTime(time: TimeToDivide): LengthsRecord['levels'] {
  const divided = divide(time);
  const hides = time.levels.map(({ hidden }, index) => 2 * (hidden?.leastTurnMs ?? 0) > (divided[index]?.sliceMs ?? 0));
  if (!hides.includes(true)) return divided;
  const roomMs = roomForWaits(time, hides);
  const levels = time.levels.map((level, index) => {
    if (hides[index] !== true) return level;
    const leastMs = Math.max(level.leastMs, Math.min(roomMs, sliceForWaits(level.hidden?.longestMs ?? 0)));
    return { ...level, leastMs, sliceMs: Math.max(level.sliceMs, leastMs) };
  });
  return divide({ ...time, levels });
}

/** True where the budget that is left has room for so many rounds in all, with slices no longer than they must be. */
export function hasRoomFor(time: TimeToDivide, rounds: number): boolean {
  const more = Math.min(rounds, time.mostRounds) - time.roundsDone;
  return more <= 0 || totalMs(time, more) >= inAllArms(time.levels, time.levels.map(shortestMs));
}

/** How long the slice of each level with hidden waits may be. Without a budget it is no longer than others. */
function roomForWaits(time: TimeToDivide, hides: readonly boolean[]): number {
  if (!Number.isFinite(time.leftMs)) return LONGEST_SLICE_MS;
  const rounds = Math.max(1, Math.min(time.mostRounds, ROUNDS_WITH_WAITS) - time.roundsDone);
  const others = time.levels.filter((_, index) => hides[index] !== true);
  const othersMs = inAllArms(others, others.map(shortestMs));
  // A little less, so that rounding costs no round.
  const shares = time.levels.filter((_, index) => hides[index] === true).map(shareOf);
  return (0.999 * totalMs(time, rounds) - othersMs) / sumOf(shares);
}

/** Time that all slices of an arm under all load levels may take together, if this many rounds fit into the budget. */
function totalMs({ besideMs, costPerMs, leftMs }: TimeToDivide, rounds: number): number {
  return ((USED_SHARE * leftMs) / rounds - besideMs) / costPerMs;
}

function divide(time: TimeToDivide): LengthsRecord['levels'] {
  const levels = time.levels.map((level) => ({ ...level, ...noiseOf(level) }));
  const options = totalsMs(time).map((totalMs) => {
    const slices = share(levels, totalMs);
    return { slices, cost: worst(levels, slices) * (time.besideMs + time.costPerMs * inAllArms(levels, slices)) };
  });
  const best = options.reduce((least, option) => (option.cost < least.cost ? option : least));
  return levels.map(({ load, withinPerS, between }, index) => {
    const sliceMs = Math.round(best.slices[index] ?? 0);
    return { load, sliceMs, withinPerS, between };
  });
}

/** Time that all slices of an arm together may take in a round: as many whole rounds as fit into the time left. */
function totalsMs(time: TimeToDivide): number[] {
  const { levels, leftMs, roundsDone, mostRounds } = time;
  const leastMs = inAllArms(levels, levels.map(shortestMs));
  const mostMs = inAllArms(
    levels,
    levels.map((level) => (isKnown(level) ? longestMs(level) : level.sliceMs)),
  );
  // A run of a fixed number of rounds, however long they take: nothing says that they may become longer, or need not be as
  // long. By the first round: slices that had to be longer for a while would stay so.
  if (!Number.isFinite(leftMs)) {
    const usualMs = levels.map((level) => Math.max(shortestMs(level), isKnown(level) ? level.firstMs : 0));
    return [inAllArms(levels, usualMs)];
  }
  const left = Math.max(1, mostRounds - roundsDone);
  const totalOf = (rounds: number): number => totalMs(time, rounds);
  const fewest = [WANTED_ROUNDS, WANTED_ROUNDS - 1, LEAST_ROUNDS]
    .map((rounds) => Math.min(left, Math.max(1, rounds - roundsDone)))
    .find((rounds) => totalOf(rounds) >= leastMs);
  if (fewest === undefined) return [leastMs];
  const rounds = Array.from({ length: left }, (_, index) => index + 1).filter((count) => count >= fewest);
  return rounds.map(totalOf).flatMap((totalMs) => (totalMs < leastMs ? [] : [Math.min(mostMs, totalMs)]));
}

interface Noise {
  readonly withinPerS: number | null;
  readonly between: number;
}

type KnownLevel = LevelToTime & Noise;

function shortestMs(level: LevelToTime): number {
  return isKnown(level) ? level.leastMs : level.sliceMs;
}

function shareOf({ share = 1 }: LevelToTime): number {
  return share;
}

/** Slices by load level as if all arms had them: those of a level that half of the arms left count for half. */
function inAllArms(levels: readonly LevelToTime[], slicesMs: readonly number[]): number {
  return sumOf(levels.map((level, index) => shareOf(level) * (slicesMs[index] ?? 0)));
}

function longestMs({ leastMs }: LevelToTime): number {
  return Math.max(LONGEST_SLICE_MS, leastMs);
}

function isKnown({ spread }: LevelToTime): boolean {
  return spread !== null && spread.withinPerS !== null && spread.withinPerS > 0;
}

function noiseOf({ spread }: LevelToTime): Noise {
  const { variance, df } = spread?.between ?? { variance: 0, df: 0 };
  const between = (USUAL_DF * USUAL_BETWEEN + df * variance) / (USUAL_DF + df);
  return { withinPerS: spread?.withinPerS ?? null, between: Math.max(LEAST_BETWEEN, between) };
}

/** The slices of a round that together take so long, with the least of the largest variances that there can be. */
function share(levels: readonly KnownLevel[], totalMs: number): number[] {
  const leastMs = affordable(levels, totalMs);
  const slicesAt = (variance: number): number[] =>
    levels.map((level, index) => {
      if (!isKnown(level)) return level.sliceMs;
      const mostMs = longestMs(level);
      const wantedMs =
        variance <= level.between ? mostMs : (1000 * (level.withinPerS ?? 0)) / (variance - level.between);
      return Math.max(leastMs[index] ?? 0, Math.min(mostMs, wantedMs));
    });
  // The larger the variance that is allowed, the shorter the slices.
  let [low, high] = [0, 1e6];
  for (let step = 0; step < 100; step++) {
    const middle = step < 50 ? Math.sqrt(Math.max(low, 1e-12) * high) : (low + high) / 2;
    if (inAllArms(levels, slicesAt(middle)) > totalMs) low = middle;
    else high = middle;
  }
  return slicesAt(high);
}

/** The least that each level must have: where time allows, what p99 needs of a round, beginning with the level that needs least for it. */
function affordable(levels: readonly KnownLevel[], totalMs: number): number[] {
  const leastMs = levels.map(shortestMs);
  const wanted = levels
    .flatMap((level, index) =>
      isKnown(level) ? [{ index, ms: (1000 * WANTED_ANSWERS) / (level.spread?.countedPerS ?? 0) }] : [],
    )
    .sort((one, other) => one.ms - other.ms);
  for (const { index, ms } of wanted) {
    const more = (levels[index]?.share ?? 1) * (ms - (leastMs[index] ?? 0));
    if (more > 0 && ms <= LONGEST_SLICE_MS && inAllArms(levels, leastMs) + more <= totalMs) leastMs[index] = ms;
  }
  return leastMs;
}

function worst(levels: readonly KnownLevel[], slicesMs: readonly number[]): number {
  const variances = levels.flatMap(({ withinPerS, between }, index) =>
    withinPerS === null ? [] : [between + (1000 * withinPerS) / (slicesMs[index] ?? 1)],
  );
  return variances.length === 0 ? 1 : Math.max(...variances);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
