import { createRandom, type Random, seedOf } from '../../../src/base/random.ts';
import { tInterval } from '../../../src/judge/stats/interval.ts';
import { levelsOf } from '../../../src/judge/stats/looks.ts';
import { mean } from '../../../src/judge/stats/moments.ts';
import type { Seen } from '../../../src/judge/tune/landscape.ts';
import type { Searched, SearchRules } from '../../../src/judge/tune/propose.ts';
import { numberOf, type Point, type Space } from '../../../src/judge/tune/space.ts';
import { type LandscapeName, landscapes, type NoiseName, noiseOf, noises, type Planted } from './landscapes.ts';

export const MARGIN_LOG = Math.log(1.05);
export const SLOTS = 6;
const MOST_SEARCH_ROUNDS = 40;
export const CONFIRM = { least: 5, most: 20 };

/** A way to search: the points of the next round, or the point to confirm. */
export type Strategy = (
  searched: Searched,
  rules: SearchRules,
) => { readonly next: readonly Point[]; readonly best: Point | null; readonly isDone: boolean };

export interface Outcome {
  /** How much worse the point that is taken is than the best, as a logarithm. */
  readonly regret: number;
  /** Rounds as long as full ones: one with fewer arms takes less time. */
  readonly searchRounds: number;
  readonly confirmRounds: number;
  /** It was confirmed to be better than the control, and is not. */
  readonly isFalse: boolean;
  readonly keepsControl: boolean;
}

/** A whole session of another way to search than the product's, and the confirmation of its best point alone in fresh rounds. */
export function playSession(
  [landscape, noise]: readonly [LandscapeName, NoiseName],
  strategy: Strategy,
  seed: number,
): Outcome {
  const random = createRandom(seedOf(seed, landscape, noise));
  const planted: Planted = landscapes[landscape](random);
  const { space, control, truth } = planted;
  const seen: Seen[] = [];
  let cost = 0;
  let best: Point | null = null;
  for (let round = 1; round <= MOST_SEARCH_ROUNDS; round++) {
    const rules = { slots: SLOTS, marginLog: MARGIN_LOG, seed, round };
    const found = strategy({ space, control, seen, out: new Set() }, rules);
    best = found.best;
    if (found.isDone) break;
    const arms = [control, control, ...found.next];
    seen.push(...playRound(planted, arms, round, noise, random));
    cost += arms.length / (SLOTS + 2);
  }
  const { isBetter, rounds } = confirm(planted, best ?? control, noise, random);
  const taken = isBetter ? (best ?? control) : control;
  const regret = mostOf(space, truth) - truth(taken);
  return {
    regret,
    searchRounds: cost,
    confirmRounds: (3 / (SLOTS + 2)) * rounds,
    isFalse: isBetter && truth(taken) <= truth(control),
    keepsControl: !isBetter,
  };
}

function playRound(
  { truth }: Planted,
  arms: readonly Point[],
  round: number,
  noise: NoiseName,
  random: Random,
): Seen[] {
  const level = 7 + 0.1 * random.next();
  return arms.map((point) => ({ round, point, value: level + truth(point) + noiseOf(random, noises[noise]) }));
}

/** By Student's intervals at the looks of a run: whether it is better than the control, until that is known or not by more than the margin. */
function confirm(
  planted: Planted,
  best: Point,
  noise: NoiseName,
  random: Random,
): { isBetter: boolean; rounds: number } {
  const { space, control } = planted;
  if (numberOf(space, best) === numberOf(space, control)) return { isBetter: false, rounds: 0 };
  const ratios: number[] = [];
  for (let round = 1; round <= CONFIRM.most; round++) {
    const [one, other, own] = playRound(planted, [control, control, best], round, noise, random).map(
      ({ value }) => value,
    );
    ratios.push((own ?? 0) - mean([one ?? 0, other ?? 0]));
    if (round < CONFIRM.least) continue;
    const levels = levelsOf({ rounds: round, ends: round === CONFIRM.most ? [round] : [] }, 1);
    const interval = levels && tInterval(ratios, levels.difference);
    if (interval === null) continue;
    if (interval.low > 0) return { isBetter: true, rounds: round };
    if (interval.high < MARGIN_LOG) return { isBetter: false, rounds: round };
  }
  return { isBetter: false, rounds: CONFIRM.most };
}

const mosts = new WeakMap<Planted['truth'], number>();

export function mostOf(space: Space, truth: Planted['truth']): number {
  const before = mosts.get(truth);
  if (before !== undefined) return before;
  let most = Number.NEGATIVE_INFINITY;
  const walk = (point: Point): void => {
    const factor = space.factors[point.length];
    if (factor === undefined) most = Math.max(most, truth(point));
    else for (let value = 0; value < factor.size; value++) walk([...point, value]);
  };
  walk([]);
  mosts.set(truth, most);
  return most;
}
