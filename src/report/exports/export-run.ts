import { aggregateRun } from '../../analysis/read/aggregate-run.ts';
import { summarize } from '../../analysis/summary.ts';
import { visibleLines } from '../../base/visible.ts';
import type { Journal } from '../../journal/journal.ts';
import { benchstatText } from './benchstat.ts';
import { metricsCsv } from './metrics-csv.ts';
import { openMetricsText } from './open-metrics.ts';
import { roundValues } from './round-values.ts';

export const exportFormats = ['metrics', 'benchstat', 'openmetrics'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/** A run for another program: `metrics` is the content of metrics.csv. */
export function exportRun(journal: Journal, format: ExportFormat): string {
  if (format === 'openmetrics') return visibleLines(openMetricsText(summarize(journal)));
  const data = aggregateRun(journal);
  const { name } = data.scenario;
  if (format === 'benchstat') return visibleLines(benchstatText(name, roundValues(data)));
  return metricsCsv(name, roundValues(data));
}
