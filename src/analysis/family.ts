import { blockNoise, type Spread } from '../stats/block-noise.ts';
import { ALONE, type Family, usesRanks } from '../stats/interval.ts';
import { alphaFor, MIN_ROUNDS } from '../stats/looks.ts';
import { signFlipAlpha } from '../stats/sign-flips.ts';
import { hasRatios, type Paired } from './pairs.ts';
import type { Series } from './series.ts';

/** One comparison of a family, and what is known of the noise around it. */
export interface Member {
  readonly paired: Paired;
  /** The noise of one ratio, from all arms under its load level. */
  readonly pooled: Spread | null;
}

/**
 * What each member of a family of comparisons may spend, so that the chance of any false `higher` or `lower` among all
 * of them is up to 5 %, all looks together: an equal share while Student's t is used, what sign flips leave from there
 * on. Members without ratios are no part of it.
 *
 * Why not Holm: its later steps have intervals that cannot be shown, and an interval must exclude 0 exactly when the
 * verdict says so. Why not Dunnett: at the control's correlation of 1/3 it gains 0.2-0.6 % in width over Bonferroni at
 * these alphas, and does not know what else cells share; sign flips do. Why no sign flips from the start: 4 rounds have
 * 8 patterns.
 */
export function familyOf(members: readonly Member[]): Family[] {
  const judged = members.filter(({ paired }) => hasRatios(paired) && paired.pairs.length >= MIN_ROUNDS);
  const most = Math.max(0, ...judged.map(({ paired }) => paired.pairs.length));
  const alpha = alphaFor(most);
  if (alpha === null) return members.map(({ pooled }) => ({ ...ALONE, pooled }));
  const share = usesRanks(most) ? signFlipAlpha(valuesByRound(judged), alpha) / alpha : 1 / judged.length;
  return members.map(({ pooled }) => ({ share, pooled }));
}

function valuesByRound(members: readonly Member[]): (number | null)[][] {
  const maps = members.map(({ paired }) => new Map(paired.pairs.map(({ round, logRatio }) => [round, logRatio])));
  const rounds = [...new Set(maps.flatMap((map) => [...map.keys()]))].sort((a, b) => a - b);
  return maps.map((map) => rounds.map((round) => map.get(round) ?? null));
}

/**
 * The noise of an arm in a round, from the rounds in which every arm under the load level has a value. Levels are not
 * pooled with each other: noise at 1 connection is another than at 50.
 */
export function armNoise(arms: readonly Series[]): Spread | null {
  const present = arms.filter(({ byRound }) => byRound.size > 0);
  const [first] = present;
  if (first === undefined) return null;
  const rows = [...first.byRound.keys()].map((round) => present.map(({ byRound }) => byRound.get(round)?.log ?? null));
  return blockNoise(rows.flatMap((row) => (row.every((log) => log !== null) ? [row] : [])));
}

/** The noise of a ratio to the mean of so many control arms, by the noise of an arm. */
export function ratioNoise(arm: Spread | null, controlArms: number): Spread | null {
  return arm === null || controlArms === 0 ? null : { variance: arm.variance * (1 + 1 / controlArms), df: arm.df };
}
