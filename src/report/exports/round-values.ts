import { cellsOf } from '../../analysis/judge/contrasts.ts';
import type { Metric } from '../../analysis/read/metrics/metrics.ts';
import { allMetrics } from '../../analysis/read/metrics/work-metrics.ts';
import type { RunData } from '../../analysis/read/run-data.ts';
import { loadLabel } from '../../journal/load-level.ts';
import { significant } from '../../stats/rounding.ts';

/** One metric of one arm in one round. */
export interface RoundValue {
  readonly variant: string;
  /** `25 connections` */
  readonly load: string;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  readonly round: number;
  readonly metric: Metric;
  /** Six significant digits. */
  readonly value: number;
}

/** Every metric of every arm in every complete round; what has no value is left out. Cell by cell, round by round. */
export function roundValues(data: RunData): RoundValue[] {
  return cellsOf(data).flatMap((cell) =>
    [...data.samples(cell)].flatMap(([round, sample]) =>
      allMetrics.flatMap((metric): RoundValue[] => {
        const { value } = metric.read(sample);
        const { variant, repeat } = cell;
        return value === null
          ? []
          : [{ variant, load: loadLabel(cell.load), repeat, round, metric, value: significant(value) }];
      }),
    ),
  );
}
