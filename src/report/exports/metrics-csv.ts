import { csvRows } from '../../base/files/csv-text.ts';
import type { RoundValue } from './round-values.ts';

/** metrics.csv: a row for each metric of each arm in each round. Text of others is safe for spreadsheets. */
export function metricsCsv(scenario: string, values: readonly RoundValue[]): string {
  const head = ['scenario', 'variant', 'load', 'round', 'metric', 'unit', 'value', 'repeat'];
  const rows = values.map(({ variant, load, round, metric, value, repeat }) => [
    scenario,
    variant,
    load,
    round,
    metric.name,
    metric.unit,
    value,
    String(repeat),
  ]);
  return csvRows([head, ...rows]);
}
