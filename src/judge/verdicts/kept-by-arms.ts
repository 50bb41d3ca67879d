import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Metric } from '../read/metrics/metrics.ts';
import type { RunData } from '../read/run-data.ts';
import type { Interval } from '../stats/interval.ts';
import { type Apart, keptBy, USUALLY_KEPT } from '../stats/kept.ts';
import { sum, weightedMean } from '../stats/moments.ts';
import type { Spread } from '../stats/variance.ts';
import { allBlocks, armName } from './blocks.ts';
import { controlContrasts } from './contrasts.ts';
import type { Block } from './family.ts';

interface KeptInRun {
  readonly spread: Spread;
  readonly apart: readonly ApartAt[];
}

/** A load level at which the control's two arms were taken for apart, and by which interval of a log ratio. */
export interface ApartAt {
  readonly load: LoadLevel;
  readonly interval: Interval;
}

const known = new WeakMap<RunData, Map<string, KeptInRun>>();

/**
 * The part that stays with an arm for the whole session, by one metric: what is usual, and how far the control's two arms are apart
 * under each load level. Null for counts of work, which nothing but the arm itself changes. `until`: as it was known after that round.
 */
export function keptByArms(data: RunData, metric: Metric, until = Number.POSITIVE_INFINITY): Spread | null {
  return metric.group === 'load' ? keptInRun(data, metric, until).spread : null;
}

/** Load levels at which the control's two arms were taken for apart by one metric, so that intervals are wider. */
export function apartByArms(data: RunData, metric: Metric): readonly ApartAt[] {
  return metric.group === 'load' ? keptInRun(data, metric, Number.POSITIVE_INFINITY).apart : [];
}

function keptInRun(data: RunData, metric: Metric, until: number): KeptInRun {
  const ofData = known.get(data) ?? new Map<string, KeptInRun>();
  known.set(data, ofData);
  const key = `${metric.name} ${until}`;
  const kept = ofData.get(key) ?? keptIn(data, metric, until);
  ofData.set(key, kept);
  return kept;
}

function keptIn(data: RunData, metric: Metric, until: number): KeptInRun {
  const found = controlContrasts(data).map((contrast) => {
    const { blocks, repeated } = allBlocks(data, { metric, contrast, until });
    const block = blocks[data.scenario.load.levels.indexOf(contrast.cell.load)];
    const [first = contrast.cell] = contrast.control;
    const apart = block === undefined ? [] : apartIn(block, armName(first), armName(contrast.cell));
    return { repeated, apart: apart.map((one) => ({ ...one, load: contrast.cell.load })) };
  });
  const apart = found.flatMap((one) => one.apart);
  const kept = keptBy(USUALLY_KEPT, apart, found[0]?.repeated ?? 0);
  const apartAt = apart.flatMap(({ load }, i): ApartAt[] => {
    const interval = kept.apart[i] ?? null;
    return interval === null ? [] : [{ load, interval }];
  });
  return { spread: kept.spread, apart: apartAt };
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
