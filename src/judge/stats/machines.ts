import { incompleteBeta } from './distributions.ts';
import { mean, sum, weightedMean } from './moments.ts';
import { moderated, priorDf, type Spread, spreadOf } from './variance.ts';

/** Agreement of machines on a change. */
export interface Agreement {
  readonly machines: number;
  /** Cochran's Q: the squares of the machines' changes around their mean, each in units of its own noise. */
  readonly q: number;
  /** The chance of such a Q or a larger one where all machines have the same change. */
  readonly p: number;
  readonly disagree: boolean;
}

/** At this chance machines, or sessions, count as disagreeing: a test of few sees little, and to take them for unlike is the safer mistake. */
export const DISAGREE = 0.1;

/**
 * Tests groups of log ratios, one a machine, for a common mean by Cochran's Q (The combination of estimates from
 * different experiments, 1954). Q is compared with the F distribution, as Welch does for few values of unequal variance
 * (On the comparison of several mean values: an alternative approach, 1951). A machine's noise is moderated by the
 * noise of all, as far as they are alike. Null for one machine, and where no machine has two rounds.
 */
export function agreementOf(groups: readonly (readonly number[])[]): Agreement | null {
  const spreads = groups.map(spreadOf);
  const known = spreads.flatMap((spread) => spread ?? []);
  const machines = groups.length;
  if (machines < 2 || known.length === 0) return null;
  const df = sum(known.map((spread) => spread.df));
  const pooled: Spread = { variance: sum(known.map((spread) => spread.df * spread.variance)) / df, df };
  const means = groups.map(mean);
  if (pooled.variance === 0) {
    const q = Math.max(...means) === Math.min(...means) ? 0 : Number.MAX_VALUE;
    return { machines, q, p: q === 0 ? 1 : 0, disagree: q > 0 };
  }
  const prior = priorDf([spreads]);
  const noise = spreads.map((spread) => (spread === null ? pooled : moderated(spread, pooled, prior)));
  const weights = groups.map((group, i) => group.length / Math.max(noise[i]?.variance ?? 0, Number.MIN_VALUE));
  const centre = weightedMean(means, weights);
  const q = sum(means.map((own, i) => (weights[i] ?? 0) * (own - centre) ** 2));
  const p = welchTail(q, { weights, noise, most: pooled.df });
  return { machines, q, p, disagree: p < DISAGREE };
}

interface Weighed {
  readonly weights: readonly number[];
  readonly noise: readonly Spread[];
  /** Noise that machines have in common is known no better than this, in degrees of freedom. */
  readonly most: number;
}

function welchTail(q: number, { weights, noise, most }: Weighed): number {
  const k = weights.length;
  const total = sum(weights);
  const unsure = sum(weights.map((weight, i) => (1 - weight / total) ** 2 / (noise[i]?.df ?? 1)));
  const f = q / (k - 1) / (1 + (2 * (k - 2) * unsure) / (k * k - 1));
  const df = Math.min(most, (k * k - 1) / (3 * unsure));
  return incompleteBeta(df / (df + (k - 1) * f), df / 2, (k - 1) / 2);
}

/** Log ratios, one a round, the weight of each, and the noise of a ratio whose weight is 1. */
export interface Sample {
  readonly ratios: readonly number[];
  readonly weights: readonly number[];
  readonly spread: Spread;
}

/** A round's log ratio as it was measured, and the machine that it is from. */
export interface OfMachine {
  readonly machine: number;
  readonly logRatio: number;
}

/**
 * A sample whose rounds are from several machines. While these show the same change, the round is the unit of
 * replication. If machines scatter by more than their rounds explain, even by chance, their scatter counts. If they
 * disagree, the machine is the unit: the mean of their means, with their scatter and a degree of freedom less than
 * there are machines. At levels up to 8.3 % that holds however different their noise is (Ibragimov and Mueller,
 * t-statistic based correlation and heterogeneity robust inference, 2010).
 */
export function overMachines(sample: Sample, rounds: readonly OfMachine[]): Sample & { readonly machines?: Agreement } {
  const ids = [...new Set(rounds.map(({ machine }) => machine))];
  if (ids.length < 2) return sample;
  const places = ids.map((id) => rounds.flatMap(({ machine }, place) => (machine === id ? [place] : [])));
  const machines = agreementOf(places.map((own) => own.map((place) => rounds[place]?.logRatio ?? Number.NaN)));
  if (machines === null) return sample;
  if (machines.disagree) {
    const means = places.map((own) => mean(own.map((place) => rounds[place]?.logRatio ?? Number.NaN)));
    const spread = spreadOf(means);
    if (spread !== null) return { ratios: means, weights: means.map(() => 1), spread, machines };
  }
  const { ratios, weights, spread } = sample;
  const centre = weightedMean(ratios, weights);
  const between = sum(
    places.map((own) => {
      const ofOwn = own.map((place) => weights[place] ?? 0);
      const mid = weightedMean(
        own.map((place) => ratios[place] ?? 0),
        ofOwn,
      );
      return sum(ofOwn) * (mid - centre) ** 2;
    }),
  );
  const variance = Math.max(spread.variance, between / (ids.length - 1));
  return { ...sample, spread: { ...spread, variance }, machines };
}
