import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import { type Apart, keptBy, USUALLY_KEPT } from '../stats/kept.ts';
import { sum, weightedMean } from '../stats/moments.ts';
import type { Spread } from '../stats/variance.ts';
import { allBlocks, armName } from './blocks.ts';
import { controlContrasts } from './contrasts.ts';
import type { Block } from './family.ts';

const known = new WeakMap<RunData, Map<string, Spread>>();

/**
 * The part that stays with an arm for the whole session, by one metric: what is usual, and how far the control's two arms are apart
 * under each load level. Null for counts of work, which nothing but the arm itself changes. `until`: as it was known after that round.
 */
export function keptByArms(data: RunData, metric: Metric, until = Number.POSITIVE_INFINITY): Spread | null {
  if (metric.group !== 'load') return null;
  const ofData = known.get(data) ?? new Map<string, Spread>();
  known.set(data, ofData);
  const key = `${metric.name} ${until}`;
  const kept = ofData.get(key) ?? keptIn(data, metric, until);
  ofData.set(key, kept);
  return kept;
}

function keptIn(data: RunData, metric: Metric, until: number): Spread {
  const found = controlContrasts(data).map((contrast) => {
    const { blocks, repeated } = allBlocks(data, { metric, contrast, until });
    const block = blocks[data.scenario.load.levels.indexOf(contrast.cell.load)];
    const [first = contrast.cell] = contrast.control;
    return { repeated, apart: block === undefined ? [] : apartIn(block, armName(first), armName(contrast.cell)) };
  });
  const apart = found.flatMap((one) => one.apart);
  return keptBy(USUALLY_KEPT, apart, found[0]?.repeated ?? 0);
}

/** How far two arms of a block are apart over all rounds; empty where the block shows no noise. */
export function apartIn({ fit, columns, weights, noise }: Block, first: string, second: string): Apart[] {
  const [own, other] = [columns.get(first) ?? -1, columns.get(second) ?? -1];
  const spread = noise[own];
  if (fit === null || spread === undefined) return [];
  const rows = fit.values.flatMap((row, i) => {
    const [one, two] = [row[own] ?? null, row[other] ?? null];
    return one === null || two === null ? [] : [{ difference: two - one, weight: weights[i] ?? 1 }];
  });
  if (rows.length < 2 || spread.variance === 0) return [];
  const ofRows = rows.map(({ weight }) => weight);
  const difference = weightedMean(
    rows.map((row) => row.difference),
    ofRows,
  );
  return [{ difference, noise: { variance: (2 * spread.variance) / sum(ofRows), df: spread.df } }];
}
