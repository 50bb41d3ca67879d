import { visibleLines } from '../../base/visible.ts';
import type { RunData } from '../../judge/read/run-data.ts';
import type { Summary } from '../../judge/summary.ts';
import { benchstatText } from './benchstat.ts';
import { metricsCsv } from './metrics-csv.ts';
import { openMetricsText } from './open-metrics.ts';
import { roundValues } from './round-values.ts';

export const exportFormats = ['metrics', 'benchstat', 'openmetrics'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/** A run for another program, by its data and what they were judged to be: `metrics` is the content of metrics.csv. */
export function exportRun(data: RunData, summary: Summary, format: ExportFormat): string {
  if (format === 'openmetrics') return openMetricsText(summary);
  const { name } = data.scenario;
  if (format === 'benchstat') return visibleLines(benchstatText(name, roundValues(data)));
  return metricsCsv(name, roundValues(data));
}
