import { expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { twoWayTable } from '../../../src/report/tables/two-way.ts';
import { twoWaysOf } from '../../../src/report/tables/two-way-tables.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';

const tablesOf = (options: FixtureOptions): string[][][] =>
  twoWaysOf(summarize(fixtureJournal(options))).map((two) => {
    const { columns, rows } = twoWayTable(two);
    return [columns.map(({ head }) => head), ...rows.map((row) => row.map(({ text }) => text))];
  });

const grid = (
  ...factors: readonly (readonly [name: string, levels: readonly (string | number)[]])[]
): FixtureOptions => {
  const all = factors.reduce<Record<string, string | number>[]>(
    (rows, [name, levels]) => rows.flatMap((row) => levels.map((level) => ({ ...row, [name]: level }))),
    [{}],
  );
  const named = all.map(
    (one) =>
      [
        Object.entries(one)
          .map((entry) => entry.join('='))
          .join(', '),
        one,
      ] as const,
  );
  return {
    variants: named.map(([name]) => name),
    factors: Object.fromEntries(named),
    control: named[0]?.[0] ?? '',
    connections: [25],
    noise: 0.01,
  };
};

test('two factors: what was compared with the control has a verdict, the rest says that it has none', () => {
  const effect: FixtureOptions['effect'] = ({ variant }) =>
    (variant.includes('18') ? 0.1 : 0) + (variant.includes('new') ? 0.2 : 0);
  const [table = [], ...others] = tablesOf({ ...grid(['release', ['old', 'new']], ['postgres', [17, 18]]), effect });
  expect(others).toEqual([]);
  expect(table[0]).toEqual(['release', '17', '18', 'Delta']);
  expect(table.map(([name]) => name)).toEqual(['release', 'old', 'new', 'Delta']);
  expect(table[1]?.[3]).toMatch(/^\+\d+\.\d % \[.*\] higher$/);
  expect(table[2]?.[3]).toMatch(/^\+\d+\.\d % no verdict$/);
  expect(table[3]?.slice(1)).toEqual([
    expect.stringMatching(/^\+\d+\.\d % \[.*\] higher$/),
    expect.stringMatching(/^\+\d+\.\d % no verdict$/),
    '',
  ]);
});

test('more factors: a table for every setting of the others', () => {
  const tables = tablesOf(grid(['a', [1, 2]], ['b', [1, 2]], ['c', ['x', 'y']]));
  expect(tables).toHaveLength(2);
  expect(tables.every((table) => table.length === 4)).toBe(true);
});

test('one factor: variants x connections; a load level is never judged against another', () => {
  const [table = []] = tablesOf({ connections: [1, 25, 50], rounds: 4 });
  expect(table[0]).toEqual(['variant, connections', '1', '25', '50', 'Delta 25 vs 1', 'Delta 50 vs 1']);
  expect(table).toHaveLength(1 + 4 + 3);
  for (const row of table.slice(1, 5)) for (const cell of row.slice(4)) expect(cell).toMatch(/ % no verdict$/);
  for (const row of table.slice(5)) {
    expect(row[0]).toMatch(/^Delta pool=\d+ vs pool=10$/);
    for (const cell of row.slice(1, 4)) expect(cell).toMatch(/ (higher|lower|same|noise)$/);
    expect(row.slice(4)).toEqual(['', '']);
  }
});

test('nothing where one thing varies, or so much that nobody would read it', () => {
  expect(tablesOf({ connections: [25] })).toEqual([]);
  expect(tablesOf({ ...grid(['a', [1, 2, 3]], ['b', [1, 2, 3, 4, 5, 6, 7]]), rounds: 1 })).toEqual([]);
});
