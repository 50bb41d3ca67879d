import type { WarmupLength, WarmupSpread, WorkloadTrend } from '../../journal/length-records.ts';
import { loadSize, traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';

/**
 * While all arms together still grow by more than this from the middle third of the warm-up to the last, starts differ by how
 * far each has come. Recordings of identical arms: with 3,000 requests an arm 19 and 24 % (calm, beside a neighbour), with
 * 4,500 10 and 10 %, with 6,000 8 and 1 %.
 */
const MOST_GROWTH = 0.1;
const MOST_FACTOR = 2;
/** The share of what an arm's slices take in a round: a warm-up beyond it takes more precision than it brings. */
const SHARE = 0.3;
/**
 * Arms that grow by this much have hardly been compiled, and their first slice would show how they warm up: then warm-up may
 * take as long as a slice, and a part of it where they grow by less. Three ORMs grew by 0.59 in the first round, pools of
 * PostGraphile by 0.29 and 0.37. Noise alone moves it by 0.15, and a slice for each of three levels left six rounds of eight.
 */
const COLD_GROWTH = 0.3;
/** Starts that served less still scattered by more than their turns: less is not enough where the first round had more. */
const LEAST_REQUESTS = 1000;
/** An arm that is slower than the slowest was is waited for this many times as long, and no longer. */
const PATIENCE = 2;

/** A rate that grows by no more over a slice is level: ln of 3 %, as in a report's notes on rates that move. */
const LEVEL_GROWTH = Math.log(1.03);
/**
 * The standard deviation of that growth where nothing grows, by what the machine does to one pass: two recorded runs of the
 * default sweep have 0.12 to 0.22 (0.4 with 1 connection). It has the weight of this many degrees of freedom.
 */
const USUAL_NOISE = { sd: 0.2, df: 4 };
/**
 * Quantiles of Student's t at 99 %, one-sided, from 4 degrees of freedom on; the last one, hardly too large, for all beyond. In
 * simulated runs of eight rounds a rate that is level gets a longer warm-up by chance in under 1 % (6 to 9 % where passes scatter by 40 %),
 * one that grows by 44 % in each, after 1.4 to 3.5 rounds, and one that grows by 10 % in 8 to 45 %.
 */
const T99 = [3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764, 2.72, 2.681, 2.65, 2.624, 2.602];
const T99_BEYOND = 2.6;
/** A longer warm-up than is affordable is cut; less than this share of what was wanted is not worth it. */
const LEAST_PART = 0.25;

/**
 * The heaviest level of each workload: it fills the pool and compiles what the lighter ones use. Code is compiled by the
 * requests that use it, so no workload warms another, and a bulk load none.
 */
export function heaviestLevels(levels: readonly LoadLevel[]): LoadLevel[] {
  const heaviest = new Map<LoadLevel['workload'], LoadLevel>();
  for (const level of levels) {
    if (!traitsOf(level).warmsUp) continue;
    const known = heaviest.get(level.workload);
    if (known === undefined || loadSize(level) > loadSize(known)) heaviest.set(level.workload, level);
  }
  return [...heaviest.values()];
}

/**
 * How long arms are warmed after a session's first round. Decided once, by what all arms did together and by how fast the
 * slowest is: a length that followed the results would choose among them. `slicesMs`: what each of an arm's slices of that
 * workload takes in a round.
 */
export function warmupAfter(
  { workload, requests, growth, perS }: WarmupSpread,
  slicesMs: readonly number[],
): WarmupLength {
  const of = workload === undefined ? {} : { workload };
  const cold = Math.min(1, (growth ?? 0) / COLD_GROWTH);
  const allMs = slicesMs.reduce((sum, ms) => sum + ms, 0);
  const mostMs = Math.max(SHARE, cold / Math.max(1, slicesMs.length)) * allMs;
  const factor = growth === null ? MOST_FACTOR : Math.max(1, Math.min(MOST_FACTOR, growth / MOST_GROWTH));
  const least = Math.min(requests, LEAST_REQUESTS);
  const wanted = Math.round(Math.max(least, Math.min(factor * requests, (perS * mostMs) / 1000)));
  return wanted < 1 || perS <= 0
    ? { ...of, requests: null, mostMs }
    : { ...of, requests: wanted, mostMs: (PATIENCE * 1000 * wanted) / perS };
}

/**
 * A longer warm-up where the rate of all arms still grew over slices beyond noise; null where it is level as far as noise
 * shows. It then ends where the slices of these rounds have ended, and is looked at again. `mostMs`: how much longer an arm
 * may be warmed.
 */
export function longerWarmup(
  warmup: WarmupLength,
  { passes, growth, squares, sliceRequests, perS }: WorkloadTrend,
  mostMs: number,
): WarmupLength | null {
  const { requests } = warmup;
  const df = USUAL_NOISE.df + passes - 1;
  const variance = (USUAL_NOISE.df * USUAL_NOISE.sd ** 2 + squares) / df;
  const least = growth - (T99[passes - 1] ?? T99_BEYOND) * Math.sqrt(variance / passes);
  const more = Math.min(sliceRequests, (perS * mostMs) / 1000);
  if (requests === null || least <= LEVEL_GROWTH || more < LEAST_PART * sliceRequests || perS <= 0) return null;
  const wanted = Math.round(requests + more);
  return { ...warmup, requests: wanted, mostMs: (PATIENCE * 1000 * wanted) / perS };
}
