import { studentTCdf } from './distributions.ts';
import { mean, sum } from './moments.ts';
import type { CountAmong } from './poisson-rates.ts';

/** Events of one arm among its chances, by round. */
export type CountsByRound = ReadonlyMap<number, CountAmong>;

/** All rounds of some arms together. */
export function totalOf(arms: readonly CountsByRound[]): CountAmong {
  return sumOf(arms.flatMap((arm) => [...arm.values()]));
}

function sumOf(all: readonly CountAmong[]): CountAmong {
  return { count: sum(all.map(({ count }) => count)), among: sum(all.map(({ among }) => among)) };
}

/** Several arms as one: the sums of each round. */
export function togetherOf(arms: readonly CountsByRound[]): CountsByRound {
  const rounds = new Set(arms.flatMap((arm) => [...arm.keys()]));
  return new Map([...rounds].map((round) => [round, sumOf(arms.flatMap((arm) => arm.get(round) ?? []))]));
}

/**
 * How many rounds the sides have in common, and the chance that the share of events is so much higher on the first side
 * if both are alike. Events may come in bursts, so the noise is what arms scatter by from round to round: the residues of
 * a table of rounds and arms, of angles, whose scatter hardly depends on the share (Freeman & Tukey, Annals of
 * Mathematical Statistics 21, 1950). One-sided, by Student.
 */
export function chanceOverRounds(
  own: readonly CountsByRound[],
  others: readonly CountsByRound[],
): { readonly rounds: number; readonly chance: number } {
  const arms = [...own, ...others];
  const common = [...(arms[0]?.keys() ?? [])].filter((round) => arms.every((arm) => (arm.get(round)?.among ?? 0) > 0));
  const rounds = common.length;
  if (rounds < 2 || own.length === 0 || others.length === 0) return { rounds, chance: 1 };
  const table = arms.map((arm) => common.map((round) => angleOf(arm.get(round))));
  const ofArms = table.map(mean);
  const ofRounds = common.map((_, index) => mean(table.map((angles) => angles[index] ?? 0)));
  const all = mean(ofArms);
  const residues = table.flatMap((angles, arm) =>
    angles.map((angle, index) => angle - (ofArms[arm] ?? 0) - (ofRounds[index] ?? 0) + all),
  );
  const df = (arms.length - 1) * (rounds - 1);
  const variance = sum(residues.map((residue) => residue ** 2)) / df / rounds;
  const difference = mean(ofArms.slice(0, own.length)) - mean(ofArms.slice(own.length));
  const error = Math.sqrt(variance * (1 / own.length + 1 / others.length));
  if (error < Number.EPSILON) return { rounds, chance: difference > 0 ? 0 : 1 };
  return { rounds, chance: 1 - studentTCdf(difference / error, df) };
}

function angleOf(counted: CountAmong | undefined): number {
  return counted === undefined ? 0 : Math.asin(Math.sqrt(counted.count / counted.among));
}
