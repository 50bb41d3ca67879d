import type { LengthsRecord, LevelSpread } from '../journal/length-records.ts';
import type { LoadLevel, RoundsSpec } from '../journal/scenario-record.ts';
import { LONGEST_SLICE_MS } from './turn-length.ts';

/**
 * What warm arms scatter between starts, where a run does not know it yet: in sweeps on shared VMs 2 to 3 % of an arm's rate
 * in a round were left beyond its turns, in recordings of identical arms 0 to 2.5 %. It counts as much as so many degrees of freedom.
 */
const USUAL_BETWEEN = 0.02 ** 2;
const USUAL_DF = 8;
/** Estimates of a small variance come out as 0, or below, and one start would then be all that it takes. */
const LEAST_BETWEEN = 0.01 ** 2;
/** As many as its budget allows, a run has at least so many rounds; and never under four, before which there are no verdicts. */
const WANTED_ROUNDS = 6;
const LEAST_ROUNDS = 4;
/** What p95 needs of each arm in each round (src/analysis/read/metrics/metrics.ts). */
const P95_SAMPLES = 1000;
/** How much of the budget that is left is used: no round takes exactly as long as the last. */
const USED_SHARE = 0.97;

export interface LevelToTime {
  readonly load: LoadLevel;
  /** As it is now; it stays where the noise of the level is not known. */
  readonly sliceMs: number;
  /** Shorter, and there are no turns worth the name. */
  readonly leastMs: number;
  readonly spread: LevelSpread | null;
}

export interface TimeToDivide {
  readonly levels: readonly LevelToTime[];
  /** What a round takes besides its slices: starts, warm-up, stops. */
  readonly besideMs: number;
  /** What a millisecond of slice at one level takes in all arms, with drains and what lies between turns. */
  readonly costPerMs: number;
  /** How much of the budget is left; infinite where there is none: then slices are divided anew, and together take as long as before. */
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
 * Only variances and costs go in, and all arms have the same lengths. Sample variances tell nothing of which arm is faster,
 * so verdicts after lengths chosen by them err no more often (Stein, A two-sample test, 1945).
 */
export function divideTime(time: TimeToDivide): LengthsRecord['levels'] {
  const levels = time.levels.map((level) => ({ ...level, ...noiseOf(level) }));
  const options = totalsMs(time).map((totalMs) => {
    const slices = share(levels, totalMs);
    return { slices, cost: worst(levels, slices) * (time.besideMs + time.costPerMs * sumOf(slices)) };
  });
  const best = options.reduce((least, option) => (option.cost < least.cost ? option : least));
  return levels.map(({ load, withinPerS, between }, index) => {
    const sliceMs = Math.round(best.slices[index] ?? 0);
    return { load, sliceMs, withinPerS, between };
  });
}

/** What all slices of an arm together may take in a round: as many whole rounds as fit into what is left. */
function totalsMs({ levels, besideMs, costPerMs, leftMs, roundsDone, mostRounds }: TimeToDivide): number[] {
  const leastMs = sumOf(levels.map((level) => (isKnown(level) ? level.leastMs : level.sliceMs)));
  const mostMs = sumOf(levels.map((level) => (isKnown(level) ? LONGEST_SLICE_MS : level.sliceMs)));
  // A run of so many rounds, however long they take: nothing says that they may become longer, or need not be as long.
  if (!Number.isFinite(leftMs)) return [Math.max(leastMs, sumOf(levels.map(({ sliceMs }) => sliceMs)))];
  const left = Math.max(1, mostRounds - roundsDone);
  const totalOf = (rounds: number): number => ((USED_SHARE * leftMs) / rounds - besideMs) / costPerMs;
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
      const wantedMs =
        variance <= level.between ? LONGEST_SLICE_MS : (1000 * (level.withinPerS ?? 0)) / (variance - level.between);
      return Math.max(leastMs[index] ?? 0, Math.min(LONGEST_SLICE_MS, wantedMs));
    });
  // The larger the variance that is allowed, the shorter the slices.
  let [low, high] = [0, 1e6];
  for (let step = 0; step < 100; step++) {
    const middle = step < 50 ? Math.sqrt(Math.max(low, 1e-12) * high) : (low + high) / 2;
    if (sumOf(slicesAt(middle)) > totalMs) low = middle;
    else high = middle;
  }
  return slicesAt(high);
}

/** The least that each level must have: where time allows, what p95 needs, beginning with the level that needs least for it. */
function affordable(levels: readonly KnownLevel[], totalMs: number): number[] {
  const leastMs = levels.map((level) => (isKnown(level) ? level.leastMs : level.sliceMs));
  const wanted = levels
    .flatMap((level, index) =>
      isKnown(level) ? [{ index, ms: (1000 * P95_SAMPLES) / (level.spread?.countedPerS ?? 0) }] : [],
    )
    .sort((one, other) => one.ms - other.ms);
  for (const { index, ms } of wanted) {
    const more = ms - (leastMs[index] ?? 0);
    if (more > 0 && ms <= LONGEST_SLICE_MS && sumOf(leastMs) + more <= totalMs) leastMs[index] = ms;
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
