import type { Gap, Metric } from '../read/metrics/metrics.ts';
import { type Series, smaller } from '../read/metrics/series.ts';
import type { RunData } from '../read/run-data.ts';
import { besideOf, type Contrast } from './contrasts.ts';

/** Control and variant in one round that has both. */
export interface Pair {
  readonly round: number;
  readonly control: number;
  readonly value: number;
  /** ln(variant / control); null where either is 0. */
  readonly logRatio: number | null;
}

/** One metric of a variant beside its control, ready to be judged. */
export interface Paired {
  readonly pairs: readonly Pair[];
  /** ln(variant / control) of the rounds in which neither is 0, in their order. */
  readonly logRatios: readonly number[];
  /** Set where some round of either had too few samples: then none is judged. */
  readonly tooFew: Gap | null;
}

/** Pairs by round: rounds that only one has are left out. */
export function pairUp(control: Series, variant: Series): Paired {
  const pairs: Pair[] = [];
  for (const [round, { value, log }] of variant.byRound) {
    const against = control.byRound.get(round);
    if (against === undefined) continue;
    const logRatio = log === null || against.log === null ? null : withoutRoundingError(log - against.log);
    pairs.push({ round, control: against.value, value, logRatio });
  }
  const logRatios = pairs.flatMap(({ logRatio }) => (logRatio === null ? [] : [logRatio]));
  return { pairs, logRatios, tooFew: smaller(control.tooFew, variant.tooFew) };
}

/** Both sides of a comparison by round. */
export function pairOf(data: Pick<RunData, 'scenario' | 'series'>, metric: Metric, contrast: Contrast): Paired {
  const beside = besideOf(data, contrast);
  return pairUp(data.series(metric, contrast.control, beside), data.series(metric, [contrast.cell], beside));
}

/** True where there are ratios to be judged: some round, none with a 0, none with too few samples. */
export function hasRatios({ pairs, logRatios, tooFew }: Paired): boolean {
  return tooFew === null && pairs.length > 0 && logRatios.length === pairs.length;
}

/** Equal values must differ by 0: with no noise at all, 1e-16 in every round would count as an effect. */
export function withoutRoundingError(logRatio: number): number {
  return Math.abs(logRatio) < 1e-12 ? 0 : logRatio;
}
