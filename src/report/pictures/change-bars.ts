import { underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { marginIn } from '../../judge/judged-view.ts';
import type { Metric } from '../../judge/read/metrics/metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { repeatName } from '../tables/arm-name.ts';
import { deltaCell } from '../tables/delta-cell.ts';
import type { Cell } from '../tables/table.ts';
import { type Axis, linearAxis } from './plot.ts';

/** The changes of a metric under a load level, as bars around zero on one axis. */
export interface ChangeBars {
  /** In percent; it always holds the margin. */
  readonly axis: Axis;
  /** Changes within count as the same. */
  readonly marginPercent: number;
  /** The interval of the control's second arm against its first: what no change looks like. Null where there is none. */
  readonly floor: readonly [number, number] | null;
  readonly bars: readonly ChangeBar[];
}

export interface ChangeBar {
  readonly name: string;
  /** Change, interval and verdict in words. */
  readonly said: Cell;
  readonly deltaPercent: number | null;
  readonly interval: readonly [number, number] | null;
  readonly verdict: Comparison['verdict'];
}

/** A change further from zero is cut off: it would leave no room for the rest. */
const MOST_PERCENT = 100;

/** Null where nothing was compared. */
export function changeBars(summary: Summary, load: LoadLevel, metric: Metric): ChangeBars | null {
  const ofMetric = (rows: readonly Comparison[]): Comparison[] =>
    underLoad(rows, load).filter((one) => one.metric === metric.name);
  const [comparisons, repeats] = [ofMetric(summary.comparisons), ofMetric(summary.repeats)];
  if (comparisons.every(({ deltaPercent }) => deltaPercent === null)) return null;
  const bars = [
    ...comparisons.map((one) => barOf(one.variant, one)),
    ...repeats.map((one) => barOf(repeatName(summary), one)),
  ];
  const marginPercent = marginIn(summary.run, metric.name);
  const ends = bars.flatMap(({ deltaPercent, interval }) => [deltaPercent ?? 0, ...(interval ?? [])]);
  const shown = ends.map((end) => Math.min(MOST_PERCENT, Math.max(-MOST_PERCENT, end)));
  const axis = linearAxis('change, %', [-marginPercent, marginPercent, ...shown]);
  return { axis, marginPercent, floor: repeats[0]?.interval ?? null, bars };
}

function barOf(name: string, comparison: Comparison): ChangeBar {
  const { deltaPercent, interval, verdict } = comparison;
  return { name, said: deltaCell(comparison), deltaPercent, interval, verdict };
}
