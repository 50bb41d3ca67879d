import type { DiagnosisFinding } from '../../analysis/explain/cross-check.ts';
import type { Summary } from '../../analysis/summary.ts';
import { loadKey, loadLabel } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { monitorTables } from './monitor-tables.ts';
import { probeTables } from './probe-tables.ts';
import { statementsTable } from './statements-table.ts';
import { right, type Table } from './table.ts';

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
  const rows = findings.map(({ name, text, next }) => [{ text: name }, { text }, { text: next }]);
  const columns = ['finding', 'seen', 'next step'].map((head) => ({ head, align: 'left' as const }));
  return [{ title: 'Further findings', columns, rows, notes: [] }];
}

function saturationTable({ saturation, run }: Summary): Table | null {
  if (saturation.length === 0) return null;
  const rows = run.loads.flatMap((load: LoadLevel) =>
    saturation
      .filter((cell) => loadKey(cell.load) === loadKey(load))
      .map(({ variant, repeat, resource, utilisation, isLimit, text }) => [
        { text: repeat ? `${variant} again (A/A)` : variant },
        { text: loadLabel(load) },
        { text: resource },
        { text: `${(100 * utilisation).toFixed(0)} %${isLimit ? ', the limit' : ''}` },
        { text },
      ]),
  );
  return {
    title: 'What was nearest its limit',
    columns: [
      { head: 'variant', align: 'left' },
      { head: 'load', align: 'left' },
      { head: 'nearest', align: 'left' },
      right('used'),
      { head: 'all that is known', align: 'left' },
    ],
    rows,
    notes: [
      'From 85 % on something counts as the limit. What is held or waits at once is rate x time (Little). Of N busy connections at most N - 1 wait for the lock that one holds.',
    ],
  };
}
