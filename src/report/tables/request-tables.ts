import { present } from '../../base/present.ts';
import { formatShare } from '../../base/units.ts';
import { loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatValue, plural } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { deltaCell } from './delta-cell.ts';
import { type Cell, left, right, type Table, textCells, transpose } from './table.ts';

/** At most this many variants stand side by side. */
const MOST_COLUMNS = 4;

/**
 * By load level, the mean latency of each kind of request: the control's, and the change of every variant. Empty where the
 * workload has only one.
 */
export function requestTables(summary: Summary): Table[] {
  return summary.run.loads.flatMap((load) => requestTable(summary, load) ?? []);
}

function requestTable({ run, requests }: Summary, load: LoadLevel): Table | null {
  const averages = underLoad(requests.averages, load).filter(({ repeat }) => !repeat);
  const comparisons = underLoad(requests.comparisons, load);
  const names = [...new Set(averages.map(({ request }) => request))];
  if (names.length === 0) return null;
  const variants = run.variants.filter((variant) => variant !== run.control);
  const rows = names.map((request): Cell[] => {
    const control = averages.find((one) => one.request === request && one.variant === run.control);
    return [
      { text: request },
      { text: formatValue(control?.meanMs ?? null) },
      ...variants.map((variant) =>
        deltaCell(comparisons.find((one) => one.request === request && one.variant === variant)),
      ),
    ];
  });
  const failed = averages.filter((one) => one.failed > 0);
  const failures = failed.map(
    ({ request, variant, ...count }) => `${request} of ${variant} ${formatCount(count.failed)}`,
  );
  const table: Table = {
    title: `Mean ms by request, ${loadLabel(load)}: change against ${run.control}`,
    columns: [left('request'), right(run.control), ...variants.map(right)],
    rows,
    notes: present([
      'All of these tables hold together: the chance of any false `higher` or `lower` is up to 5 %.',
      failures.length > 0 && `Failed: ${failures.join(', ')}.`,
      requests.leftOut > 0 &&
        `${plural(requests.leftOut, 'name')} with fewer requests ${requests.leftOut === 1 ? 'is' : 'are'} left out.`,
    ]),
  };
  return variants.length <= MOST_COLUMNS ? table : transpose(table, 'variant');
}

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
    const notes = ['Percentiles cover all rounds together; each needs at least ten answers beyond it.'];
    return [{ title: `Latency by request, ms, ${loadLabel(load)}`, columns, rows, notes }];
  });
}

/**
 * Parts of the time of each kind of request by load level, from the header Server-Timing: the control's, and the change
 * of every variant. Empty where no answer had it.
 */
export function serverTimeTables({ run, serverTimes }: Summary): Table[] {
  if (serverTimes === undefined) return [];
  const variants = run.variants.filter((variant) => variant !== run.control);
  return run.loads.flatMap((load) => {
    const own = underLoad(serverTimes.averages, load).filter(
      ({ variant, repeat }) => variant === run.control && !repeat,
    );
    const comparisons = underLoad(serverTimes.comparisons, load);
    if (own.length === 0) return [];
    const rows = own.map(({ request, part, meanMs, share }): Cell[] => [
      { text: request },
      { text: part },
      { text: formatValue(meanMs) },
      { text: share === null ? 'n/a' : formatShare(share) },
      ...variants.map((variant) =>
        deltaCell(comparisons.find((one) => one.request === request && one.part === part && one.variant === variant)),
      ),
    ]);
    const numbers = [`${run.control}, ms`, 'of its latency', ...variants];
    const columns = [left('request'), left('part'), ...numbers.map(right)];
    const notes = [
      'Parts come from the header Server-Timing, in milliseconds a request; answers without it count as 0. Parts may overlap, and the time outside of them is not known.',
      'All of these tables hold together: the chance of any false `higher` or `lower` is up to 5 %.',
      ...(serverTimes.leftOut === 0 ? [] : [`${plural(serverTimes.leftOut, 'part')} with less time left out.`]),
    ];
    return [{ title: `Where the time went, ${loadLabel(load)}: change against ${run.control}`, columns, rows, notes }];
  });
}
