import { present } from '../../base/present.ts';
import { loadLabel, underLoad } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { formatCount, formatValue, plural } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { deltaCell } from './delta-cell.ts';
import { type Cell, left, right, type Table, transpose } from './table.ts';

/** Up to so many variants stand side by side. */
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
