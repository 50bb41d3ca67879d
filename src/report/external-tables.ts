import { PgsweepError } from '../base/errors.ts';
import { present } from '../base/present.ts';
import type { ExternalComparison, ExternalDeltas } from '../judge/external/judge-external.ts';
import { mean } from '../judge/stats/moments.ts';
import { changePercent, NO_INTERVALS, percentText, plain } from './classic/numbers.ts';
import { type Cell, left, right, type Table, textCells } from './tables/table.ts';
import { type Place, twoWayTable } from './tables/two-way.ts';

interface TwoWayView {
  readonly classic: boolean;
  /** A change against the control. */
  judged(comparison: ExternalComparison): Cell;
  readonly notes: readonly string[];
}

/**
 * Numbers of others as a table with a Delta column, a Delta row, or both; it has rows and columns as its source has.
 * Throws PgsweepError `usage` where metrics to be compared are in different units.
 */
export function externalTwoWay(
  deltas: ExternalDeltas,
  compare: { readonly rows: boolean; readonly columns: boolean },
  view: TwoWayView,
): Table {
  const { group, control } = deltas;
  const variants = variantsOf(deltas);
  const metrics = group.metrics.map(({ name }) => name);
  const units = new Set(group.metrics.map(({ unit }) => unit));
  if (compare.rows && compare.columns && units.size > 1) {
    throw new PgsweepError('usage', `--two-way compares ${metrics.join(', ')} with each other, which differ in unit`, {
      hint: 'Leave it out, or give a table whose numbers are all of one kind.',
    });
  }
  const across = group.variantsAcross;
  const [rows, columns] = across ? [metrics, variants] : [variants, metrics];
  const cellAt = ({ row, column }: Place) => ({
    variant: variants[across ? column : row] ?? '',
    metric: metrics[across ? row : column] ?? '',
  });
  const controlAt = variants.indexOf(control);
  const failing = failingVariants(deltas);
  const style = {
    value: (value: number, place: Place) => withUnit(deltas, cellAt(place).metric, value),
    delta: percentText,
  };
  return twoWayTable(
    {
      title: `${titleOf(deltas)}${view.classic ? ` ${NO_INTERVALS}` : ''}`,
      corner: group.corner ?? '',
      rows,
      columns,
      base: {
        row: compare.rows ? (across ? 0 : controlAt) : null,
        column: compare.columns ? (across ? controlAt : 0) : null,
      },
      value: (place) => numberOrText(deltas, cellAt(place)),
      judged(from, to) {
        const [before, after] = [cellAt(from), cellAt(to)];
        if (failing.has(before.variant) || failing.has(after.variant)) return { text: NOT_COMPARED };
        if (view.classic || before.variant !== control || before.metric !== after.metric) return null;
        const found = comparisonOf(deltas, after);
        return found === undefined ? null : view.judged(found);
      },
      notes: view.notes,
    },
    view.classic ? style : undefined,
  );
}

/** Averages of every variant as a row, and their changes against the control, with notes below: two tables without intervals. */
export function classicExternalTables(deltas: ExternalDeltas, notes: readonly string[]): Table[] {
  const { group, control } = deltas;
  const metrics = group.metrics.map(({ name }) => name);
  const columns = [left(group.corner ?? ''), ...metrics.map(right)];
  const rowOf = (variant: string, write: (metric: string) => string): Cell[] =>
    textCells([variant, ...metrics.map(write)]);
  const number = (variant: string, metric: string): number | null => {
    const value = numberOrText(deltas, { variant, metric });
    return typeof value === 'number' ? value : null;
  };
  const written = (variant: string, metric: string): string => {
    const value = numberOrText(deltas, { variant, metric });
    return typeof value === 'number' ? withUnit(deltas, metric, value) : (value ?? 'n/a');
  };
  const failing = failingVariants(deltas);
  const change = (variant: string, metric: string): string =>
    failing.has(control) || failing.has(variant)
      ? NOT_COMPARED
      : percentText(changePercent(number(control, metric), number(variant, metric)));
  return [
    {
      title: `${titleOf(deltas, 'averages')} ${NO_INTERVALS}`,
      columns,
      rows: variantsOf(deltas).map((variant) => rowOf(variant, (metric) => written(variant, metric))),
      notes: [],
    },
    {
      title: `${titleOf(deltas, `change against ${control}`)} ${NO_INTERVALS}`,
      columns,
      rows: deltas.variants.map((variant) => rowOf(variant, (metric) => change(variant, metric))),
      notes,
    },
  ];
}

/** A change from or to a variant whose commands failed, or whose clients were aborted. */
const NOT_COMPARED = 'n/a [!]';

/** Variants with failed commands or aborted clients: what their other runs show is not compared. */
function failingVariants({ comparisons }: ExternalDeltas): ReadonlySet<string> {
  return new Set(
    comparisons.flatMap(({ notes }) => notes.flatMap((one) => (one.kind === 'failed-commands' ? [one.variant] : []))),
  );
}

/** A number of a metric: `20 ms` */
function withUnit({ group }: ExternalDeltas, metric: string, value: number): string {
  const { unit = '' } = group.metrics.find(({ name }) => name === metric) ?? {};
  return `${plain(value)}${unit === '' ? '' : ` ${unit}`}`;
}

/** `p99: change against A` */
export function titleOf({ group, control }: ExternalDeltas, what = `change against ${control}`): string {
  return present([group.title, what]).join(': ');
}

/** The control is where the source has it. */
function variantsOf({ group }: ExternalDeltas): string[] {
  return [...new Set(group.runs.map(({ variant }) => variant))];
}

/** The change of a metric in a variant. */
export function comparisonOf(
  { comparisons }: ExternalDeltas,
  { variant, metric }: { readonly variant: string; readonly metric: string },
): ExternalComparison | undefined {
  return comparisons.find((one) => one.variant === variant && one.metric === metric);
}

/** The mean of the runs, or what stands in place of a number, such as `timeout`. */
function numberOrText(
  { group }: ExternalDeltas,
  { variant, metric }: { readonly variant: string; readonly metric: string },
): number | string | null {
  const runs = group.runs.filter((run) => run.variant === variant);
  const [text] = runs.flatMap((run) => run.texts.get(metric) ?? []);
  if (text !== undefined && text !== '') return text;
  const values = runs.flatMap((run) => run.values.get(metric) ?? []);
  return values.length === 0 ? null : mean(values);
}
