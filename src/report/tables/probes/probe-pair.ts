import { ofName } from '../../../base/by-name.ts';
import { underLoad } from '../../../journal/load-level.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { formatValue } from '../../../judge/format.ts';
import type { Summary } from '../../../judge/summary.ts';
import { againName } from '../arm-name.ts';
import { deltaCell } from '../delta-cell.ts';
import { left, right, type Table } from '../table.ts';

/** Some values of probes. */
export interface ProbePair {
  readonly title: string;
  readonly names: readonly string[];
  /** What a value is called in the tables. */
  readonly label: (name: string) => string;
  /** Sentences under the second table, or the only one. */
  readonly notes: readonly string[];
}

const metricColumn = left('metric');

/** Two tables of these values under a load level: the averages, and the changes against the control; none of no values. */
export function probePair({ averages, probes, run }: Summary, load: LoadLevel, pair: ProbePair): Table[] {
  const { title, names, label, notes } = pair;
  if (names.length === 0) return [];
  const rows = underLoad(averages, load);
  const comparisons = underLoad(probes, load);
  const variants = run.variants.filter((variant) => variant !== run.control);
  const averagesTable: Table = {
    title: `${title}, averages`,
    columns: [metricColumn, ...rows.map(({ variant, repeat }) => right(repeat ? againName(variant) : variant))],
    rows: names.map((name) => [
      { text: label(name) },
      ...rows.map((average) => ({ text: formatValue(ofName(average.probes, name) ?? null) })),
    ]),
    notes: [],
  };
  if (variants.length === 0) return [averagesTable];
  const changesTable: Table = {
    title: `${title}, change against ${run.control}`,
    columns: [metricColumn, ...variants.map(right)],
    rows: names.map((name) => [
      { text: label(name) },
      ...variants.map((variant) =>
        deltaCell(comparisons.find((one) => one.metric === name && one.variant === variant)),
      ),
    ]),
    notes,
  };
  return [averagesTable, changesTable];
}
