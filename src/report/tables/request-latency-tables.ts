import { loadLabel, underLoad } from '../../journal/load-level.ts';
import { formatCount, formatValue } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { left, right, type Table, textCells } from './table.ts';

/** By load level, how the latencies of each kind of request are spread in every variant. Empty where the workload has only one. */
export function requestLatencyTables({ run, requests }: Summary): Table[] {
  return run.loads.flatMap((load) => {
    const averages = underLoad(requests.averages, load).filter(({ repeat }) => !repeat);
    const names = [...new Set(averages.map(({ request }) => request))];
    if (names.length === 0) return [];
    const rows = names.flatMap((name) =>
      averages
        .filter(({ request }) => request === name)
        .map(({ request, variant, ok, failed, meanMs, p50Ms, p95Ms, p99Ms, p99_9Ms }) => {
          const numbers = [
            ...[ok, failed].map(formatCount),
            ...[meanMs, p50Ms, p95Ms, p99Ms, p99_9Ms].map(formatValue),
          ];
          return textCells([request, variant, ...numbers]);
        }),
    );
    const numbers = ['as expected', 'failed', 'mean', 'p50', 'p95', 'p99', 'p99.9'];
    const columns = [left('request'), left('variant'), ...numbers.map(right)];
    const notes = ['Percentiles are of all rounds together; one stands where ten answers or more are beyond it.'];
    return [{ title: `Latency by request, ms, ${loadLabel(load)}`, columns, rows, notes }];
  });
}
