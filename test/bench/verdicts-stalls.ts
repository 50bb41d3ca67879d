import type { Random } from '../../src/base/random.ts';

/** A service that answers nothing for a while, at random times. Both times are exponential. */
export interface Stalls {
  /** From the end of one to the start of the next, on average. */
  readonly gapMs: number;
  readonly stallMs: number;
  /** The arms that have them: the first variant, or all. */
  readonly of: 'first' | 'all';
}

/** As in `npm run bench -- truth`, a service that stalls. */
export const usualStalls: Omit<Stalls, 'of'> = { gapMs: 3000, stallMs: 200 };

/** The turns that an arm has in a pass: so many, so long, of so many arms in each cycle. */
export interface ArmTurns {
  readonly turns: number;
  readonly turnMs: number;
  readonly arms: number;
}

/** By turn, how much of it is without a stall, 1 on average: so stalls move no effect. In other arms' turns the service stalls, too. */
export function stalledTurns(
  random: Random,
  { gapMs, stallMs }: Pick<Stalls, 'gapMs' | 'stallMs'>,
  { turns, turnMs, arms }: ArmTurns,
): number[] {
  const exponential = (meanMs: number): number => -meanMs * Math.log1p(-random.next());
  const lost = Array.from({ length: turns }, () => 0);
  const cycleMs = arms * turnMs;
  let fromMs = exponential(gapMs);
  while (fromMs < turns * cycleMs) {
    const toMs = fromMs + exponential(stallMs);
    for (let turn = Math.floor(fromMs / cycleMs); turn < turns && turn * cycleMs < toMs; turn++) {
      const startMs = turn * cycleMs;
      const ms = Math.min(toMs, startMs + turnMs) - Math.max(fromMs, startMs);
      lost[turn] = (lost[turn] ?? 0) + Math.max(0, ms) / turnMs;
    }
    fromMs = toMs + exponential(gapMs);
  }
  return lost.map((share) => Math.max(0, 1 - share) * (1 + stallMs / gapMs));
}
