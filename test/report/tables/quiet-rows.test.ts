import { describe, expect, test } from 'vitest';
import { type Cell, cutRows, type Table, withoutQuietRows } from '../../../src/report/tables/table.ts';

const noise = (text: string): Cell => ({ text, quiet: 'noise' });
const missing: Cell = { text: 'n/a', quiet: 'missing' };
const table = (...rows: (readonly Cell[])[]): Table => ({
  title: 't',
  columns: [
    { head: 'metric', align: 'left' },
    { head: 'b', align: 'right' },
    { head: 'c', align: 'right' },
  ],
  rows,
  notes: ['a note'],
});

describe('rows that tell nothing', () => {
  test('are named in one line where they are noise, and go where there is no number', () => {
    const told = [{ text: '2xx/s' }, noise('+1 %'), { text: '+9 % higher' }];
    const shown = withoutQuietRows(
      table(
        told,
        [{ text: 'p50 ms' }, noise('+1 %'), noise('+2 %')],
        [{ text: 'p95 ms' }, noise('+1 %'), missing],
        [{ text: 'p99 ms' }, missing, missing],
      ),
    );
    expect(shown.rows).toEqual([told]);
    expect(shown.notes).toEqual(['All noise: p50 ms, p95 ms.', 'a note']);
  });

  test('one stays where there is no other', () => {
    const rows = [1, 2].map((i) => [{ text: `${i}` }, noise('+1 %'), noise('+2 %')]);
    expect(withoutQuietRows(table(...rows))).toMatchObject({
      rows: rows.slice(0, 1),
      notes: ['All noise: 2.', 'a note'],
    });
  });

  test('a table without such rows is itself', () => {
    const whole = table([{ text: 'x' }, { text: '1' }, noise('2')]);
    expect(withoutQuietRows(whole)).toBe(whole);
  });
});

test('a cut table has its most telling rows, in their order', () => {
  const rows = ['a', 'b', 'c', 'd'].map((text) => [{ text }, { text: '' }, { text: '' }]);
  const names = (cut: Table): string[] => cut.rows.map(([name]) => name?.text ?? '');
  expect(names(cutRows(table(...rows), 2))).toEqual(['a', 'b']);
  expect(names(cutRows({ ...table(...rows), order: [3, 1, 0, 2] }, 2))).toEqual(['b', 'd']);
  const quiet = [{ text: 'q' }, noise('1'), noise('2')];
  const shown = withoutQuietRows({ ...table(quiet, ...rows), order: [4, 0, 2, 1, 3] });
  expect(names(cutRows(shown, 2))).toEqual(['b', 'd']);
});
