import { loadLabel, underLoad } from '../../journal/load-level.ts';
import type { DiagnosisFinding } from '../../judge/explain/cross-check.ts';
import type { Summary } from '../../judge/summary.ts';
import { againName } from './arm-name.ts';
import { probeTables } from './probe-tables.ts';
import { monitorTables, statementsTable } from './statements-table.ts';
import { left, right, type Table, textCells } from './table.ts';

/** Tables that few look at, under a title. */
export interface FoldedTables {
  readonly title: string;
  readonly tables: readonly Table[];
}

/** Tables that do not fit on the screen: other findings, every cell's saturation, statements, what probes saw. */
export function foldedTables(summary: Summary, otherFindings: readonly DiagnosisFinding[]): FoldedTables[] {
  const cells = saturationTable(summary);
  const general = [...findingsTable(otherFindings), ...(cells === null ? [] : [cells])];
  return [
    ...(general.length === 0 ? [] : [{ title: 'Every cell', tables: general }]),
    ...summary.run.loads.flatMap((load) => {
      const tables = [
        ...statementsTable(summary, load),
        ...monitorTables(summary, load),
        ...probeTables(summary, load),
      ];
      return tables.length === 0 ? [] : [{ title: `What probes saw: ${loadLabel(load)}`, tables }];
    }),
  ];
}

function findingsTable(findings: readonly DiagnosisFinding[]): Table[] {
  if (findings.length === 0) return [];
  const rows = findings.map(({ name, text, next }) => textCells([name, text, next]));
  const columns = ['finding', 'seen', 'next step'].map(left);
  return [{ title: 'Further findings', columns, rows, notes: [] }];
}

function saturationTable({ saturation, run }: Summary): Table | null {
  if (saturation.length === 0) return null;
  const rows = run.loads.flatMap((load) =>
    underLoad(saturation, load).map(({ variant, repeat, resource, utilisation, isLimit, text }) => {
      const used = `${(100 * utilisation).toFixed(0)} %${isLimit ? ', the limit' : ''}`;
      return textCells([repeat ? againName(variant) : variant, loadLabel(load), resource, used, text]);
    }),
  );
  return {
    title: 'What was nearest its limit',
    columns: [...['variant', 'load', 'nearest'].map(left), right('used'), left('all that is known')],
    rows,
    notes: [
      'A resource counts as the limit from 85 %. The number that hold or wait at once is rate x time (Little). Of N busy connections, at most N - 1 wait for the lock that one holds.',
    ],
  };
}
