import { judgedMetric } from '../read/metrics/judged-metric.ts';
import type { RunData } from '../read/run-data.ts';
import { fQuantile } from '../stats/distributions.ts';
import { ERROR } from '../stats/looks.ts';
import { sum } from '../stats/moments.ts';
import type { Spread } from '../stats/variance.ts';
import { allBlocks, armName, lastRoundOf } from './blocks.ts';
import { otherVariants, variantContrasts } from './contrasts.ts';
import type { Block } from './family.ts';

/** How many times as much as the control a variant scatters from start to start, as a ratio of standard deviations. */
export interface Scatter {
  readonly times: number;
  readonly interval: readonly [low: number, high: number];
  /** True where the interval excludes 1, also without the worst quarter of the noisier side's starts: so that a few odd starts do not say it. */
  readonly isClear: boolean;
}

/** This share of its starts may be odd by chance. */
const ODD_SHARE = 0.25;

/**
 * The scatter of a variant in the judged metric over that of the control, by their own rounds under all load levels, with the F
 * interval of two variances; all variants share its 5 %. Null for the control, and where either shows no noise.
 */
export function scatterOf(data: RunData, variant: string): Scatter | null {
  const contrast = variantContrasts(data).find(({ cell }) => cell.variant === variant);
  if (contrast === undefined) return null;
  const until = lastRoundOf(data, [...contrast.control, contrast.cell]);
  const { blocks, programs } = allBlocks(data, { metric: judgedMetric(data.scenario), contrast, until });
  const [own, control] = [programs.get(variant), programs.get(data.scenario.control)];
  if (own === undefined || control === undefined || own.variance === 0 || control.variance === 0) return null;
  const alpha = ERROR / otherVariants(data).length;
  const interval = timesWithin(own, control, alpha);
  const [low, high] = interval;
  const withoutWorst = (noise: Spread, arms: readonly string[]): Spread => ({
    variance: noise.variance * shareWithoutWorst(blocks, arms),
    df: noise.df * (1 - ODD_SHARE),
  });
  const isNoisier = low > 1 && timesWithin(withoutWorst(own, [armName(contrast.cell)]), control, alpha)[0] > 1;
  const isCalmer = high < 1 && timesWithin(own, withoutWorst(control, contrast.control.map(armName)), alpha)[1] < 1;
  return { times: Math.sqrt(own.variance / control.variance), interval, isClear: isNoisier || isCalmer };
}

function timesWithin(own: Spread, other: Spread, alpha: number): [low: number, high: number] {
  const end = (p: number): number => Math.sqrt(own.variance / other.variance / fQuantile(p, own.df, other.df));
  return [end(1 - alpha / 2), end(alpha / 2)];
}

/** The share of the variance of these arms that is left without the worst quarter of their starts, under all load levels. */
function shareWithoutWorst(blocks: readonly Block[], arms: readonly string[]): number {
  const byStart = new Map<string, number>();
  for (const { rows, columns, fit } of blocks) {
    for (const [number, row] of rows) {
      for (const arm of arms) {
        const residual = fit?.residuals[row]?.[columns.get(arm) ?? -1] ?? 0;
        const start = `${arm} ${number}`;
        byStart.set(start, (byStart.get(start) ?? 0) + residual ** 2);
      }
    }
  }
  const squares = [...byStart.values()].sort((a, b) => a - b);
  const kept = squares.slice(0, squares.length - Math.ceil(ODD_SHARE * squares.length));
  return kept.length === 0 ? 0 : (sum(kept) / sum(squares)) * (squares.length / kept.length);
}
