import { present } from '../../base/present.ts';
import { countsRequests, differInSize, loadKey, loadLabel, loadSize, loadUnit } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { judgedOf } from '../../judge/judged-view.ts';
import type { Metric, MetricName } from '../../judge/read/metrics/metrics.ts';
import type { Summary } from '../../judge/summary.ts';
import { type Average, averageValue } from '../../judge/verdicts/averages.ts';
import type { Comparison } from '../../judge/verdicts/comparison.ts';
import { unfinishedWord } from './arm-name.ts';
import { deltaCell } from './delta-cell.ts';
import { factorNames, gridLayouts, MOST_COLUMNS, MOST_ROWS, type Place, type TwoWay } from './two-way.ts';

/** With more than two factors there is a table for every setting of the others. */
const MOST_TABLES = 6;

/**
 * Two-way tables where two things vary: the first two factors of a grid, under every load level; else variants x load
 * levels. Empty where only one thing varies, or so many levels that the table would be unreadable.
 */
export function twoWaysOf(summary: Summary, metric: Metric<MetricName> = judgedOf(summary.run)): TwoWay[] {
  return factorNames(summary).length >= 2 ? grids(summary, metric) : byLoad(summary, metric);
}

/** Which arm and load level stand in a cell of the table. */
type CellAt = (place: Place) => { readonly variant: string; readonly load: LoadLevel } | null;

function grids(summary: Summary, metric: Metric<MetricName>): TwoWay[] {
  const layouts = gridLayouts(summary);
  const tables = summary.run.loads.flatMap((load) =>
    layouts.map(({ factors, others, corner, rows, columns, base, variantAt }): TwoWay => {
      const at: CellAt = (place) => {
        const variant = variantAt(place);
        return variant === null ? null : { variant, load };
      };
      const where = present([loadLabel(load), others]).join(', ');
      const title = `${metric.label} by ${factors}: ${where}`;
      return { title, corner, rows, columns, base, ...cellsOf(summary, metric, at), notes: [] };
    }),
  );
  return tables.slice(0, MOST_TABLES);
}

/** Bulk loads, and load levels of another workload, are no more or less of the same. */
function byLoad(summary: Summary, metric: Metric<MetricName>): TwoWay[] {
  const { run } = summary;
  const [first] = run.loads.filter(countsRequests);
  if (first === undefined) return [];
  const loads = run.loads.filter((load) => load.workload === run.loads[0]?.workload && differInSize(load, first));
  const rows = run.settings.map(({ variant }) => variant);
  if (loads.length < 2 || loads.length > MOST_COLUMNS || rows.length < 2 || rows.length > MOST_ROWS) return [];
  const at: CellAt = ({ row, column }) => {
    const [variant, load] = [rows[row], loads[column]];
    return variant === undefined || load === undefined ? null : { variant, load };
  };
  return [
    {
      title: `${metric.label} by variant and ${loadUnit(first)}`,
      corner: `variant, ${loadUnit(first)}`,
      rows,
      columns: loads.map((load) => String(loadSize(load))),
      base: { row: rows.indexOf(run.control), column: 0 },
      ...cellsOf(summary, metric, at),
      notes: [],
    },
  ];
}

/**
 * The cells of a table. A cell is judged where it was compared with the control under the same load level. The
 * control's number is of both its arms.
 */
function cellsOf(summary: Summary, metric: Metric<MetricName>, at: CellAt): Pick<TwoWay, 'value' | 'judged'> {
  const key = (variant: string, load: LoadLevel): string => JSON.stringify([variant, loadKey(load)]);
  const averages = new Map<string, Average>();
  for (const one of summary.averages) if (!one.repeat) averages.set(key(one.variant, one.load), one);
  const comparisons = new Map<string, Comparison>();
  const controls = new Map<string, number | null>();
  for (const one of summary.comparisons) {
    if (one.metric !== metric.name) continue;
    comparisons.set(key(one.variant, one.load), one);
    controls.set(key(summary.run.control, one.load), one.control);
  }
  return {
    value(place) {
      const cell = at(place);
      const average = cell === null ? undefined : averages.get(key(cell.variant, cell.load));
      if (cell === null || average === undefined) return null;
      return (
        unfinishedWord(average) ?? controls.get(key(cell.variant, cell.load)) ?? averageValue(average, metric.name)
      );
    },
    judged(from, to) {
      const [before, after] = [at(from), at(to)];
      if (before === null || after === null || before.variant !== summary.run.control) return null;
      if (loadKey(before.load) !== loadKey(after.load)) return null;
      const comparison = comparisons.get(key(after.variant, after.load));
      return comparison === undefined ? null : deltaCell(comparison);
    },
  };
}
