import type { WarmupLength, WarmupSpread } from '../../journal/length-records.ts';
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
 * Arms that grow by so much have hardly been compiled, and their first slice would show how they warm up: then warm-up may
 * take as long as a slice, and a part of it where they grow by less. Three ORMs grew by 0.59 in the first round, pools of
 * PostGraphile by 0.29 and 0.37. Noise alone moves it by 0.15, and a slice for each of three levels left six rounds of eight.
 */
const COLD_GROWTH = 0.3;
/** Starts that served less still scattered by more than their turns: less is not enough where the first round had more. */
const LEAST_REQUESTS = 1000;
/** An arm that is slower than the slowest was is waited for so many times as long, and no longer. */
const PATIENCE = 2;

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
