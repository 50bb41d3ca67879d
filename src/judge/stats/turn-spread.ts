import type { Spread } from './block-noise.ts';
import { mean, sum } from './moments.ts';

/**
 * The variance of ln(rate) of one arm's slice that comes from its turns, given what each arm (a row) counted in each
 * cycle (a column) of a pass: how much an arm's share in a cycle moves about its share in the pass. What a cycle does to
 * all arms alike and what an arm is worth in the whole pass are both taken out, so neither a disturbed machine nor a
 * faster variant is in it. It is the linearised variance of a ratio of sums (Cochran, Sampling Techniques, 1977, chapter
 * 6), which bears turns without an answer; (arms - 1) (cycles - 1) degrees of freedom. Null for fewer than two arms or
 * cycles, for rows of different lengths, and where an arm counted nothing.
 */
export function turnSpread(arms: readonly (readonly number[])[]): Spread | null {
  const cycles = arms[0]?.length ?? 0;
  if (arms.length < 2 || cycles < 2 || arms.some(({ length }) => length !== cycles)) return null;
  const sums = arms.map(sum);
  if (Math.min(...sums) <= 0) return null;
  // The share of its own pass, so that an arm's rate is not in it.
  const shares = arms.map((own, arm) => own.map((count) => count / (sums[arm] ?? 1)));
  const squares = Array.from({ length: cycles }, (_, cycle) => {
    const usual = mean(shares.map((own) => own[cycle] ?? 0));
    return sum(shares.map((own) => ((own[cycle] ?? 0) - usual) ** 2));
  });
  const df = (arms.length - 1) * (cycles - 1);
  return { variance: (cycles * sum(squares)) / df, df };
}
