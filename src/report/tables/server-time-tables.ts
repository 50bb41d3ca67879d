import { formatShare } from '../../base/units.ts';
import { loadLabel, underLoad } from '../../journal/load-level.ts';
import { formatValue, plural } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { deltaCell } from './delta-cell.ts';
import { type Cell, left, right, type Table } from './table.ts';

/**
 * By load level, where the time of each kind of request went as the service tells it: the control's, and the change of every
 * variant. Empty where no answer had a header Server-Timing.
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
      'Parts are those of the header Server-Timing, in milliseconds a request; answers without one count as 0. They may overlap, and what is outside of them is not told.',
      'All of these tables hold together: the chance of any false `higher` or `lower` is up to 5 %.',
      ...(serverTimes.leftOut === 0 ? [] : [`${plural(serverTimes.leftOut, 'part')} with less time left out.`]),
    ];
    return [{ title: `Where the time went, ${loadLabel(load)}: change against ${run.control}`, columns, rows, notes }];
  });
}
