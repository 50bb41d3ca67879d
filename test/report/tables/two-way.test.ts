import { describe, expect, test } from 'vitest';
import type { Table } from '../../../src/report/tables/table.ts';
import { type TwoWay, twoWayTable } from '../../../src/report/tables/two-way.ts';

const values = [
  [100, 120, 110],
  [50, 'timeout', null],
] as const;

function two(change: Partial<TwoWay> = {}): TwoWay {
  return {
    title: 'users',
    corner: 'database',
    rows: ['MySQL', 'Postgres'],
    columns: ['v1', 'v2'],
    base: { row: 0, column: 0 },
    value: ({ row, column }) => values[row]?.[column] ?? null,
    judged: (from, to) =>
      from.row === 0 && to.row === 0 && to.column === 1 ? { text: '+20.0 % [+18.0, +22.0] higher' } : null,
    notes: [],
    ...change,
  };
}

const texts = ({ columns, rows }: Table): string[][] => [
  columns.map(({ head }) => head),
  ...rows.map((row) => row.map(({ text }) => text)),
];

describe('a two-way table', () => {
  test('has a Delta column and a Delta row; what nobody judged says so, and nothing is invented for a timeout', () => {
    expect(texts(twoWayTable(two()))).toEqual([
      ['database', 'v1', 'v2', 'Delta'],
      ['MySQL', '100.0', '120.0', '+20.0 % [+18.0, +22.0] higher'],
      ['Postgres', '50.00', 'timeout', 'n/a'],
      ['Delta', '-50.0 % no verdict', 'n/a', ''],
    ]);
  });

  test('names the Deltas where there are several, each against the base', () => {
    const [head, , , delta] = texts(twoWayTable(two({ columns: ['v1', 'v2', 'v3'], base: { row: 1, column: 2 } })));
    expect(head).toEqual(['database', 'v1', 'v2', 'v3', 'Delta v1 vs v3', 'Delta v2 vs v3']);
    expect(delta).toEqual(['Delta', '+100 % no verdict', 'n/a', 'n/a', '', '']);
  });

  test('compares neither rows nor columns that have no base', () => {
    expect(texts(twoWayTable(two({ base: { row: null, column: 0 } })))).toHaveLength(3);
    expect(texts(twoWayTable(two({ base: { row: null, column: null } })))[0]).toEqual(['database', 'v1', 'v2']);
  });

  test('has rows as long as its head, and writes numbers as it is told', () => {
    const style = { value: (value: number) => `${value}`, delta: (percent: number) => `${percent.toFixed(2)}%` };
    const table = texts(twoWayTable(two({ judged: () => null }), style));
    expect(new Set(table.map((row) => row.length))).toEqual(new Set([4]));
    expect(table[1]).toEqual(['MySQL', '100', '120', '20.00%']);
  });
});
