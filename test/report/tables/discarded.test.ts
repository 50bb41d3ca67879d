import { describe, expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { abBlocks } from '../../../src/report/classic/ab-text.ts';
import { averagesCsv } from '../../../src/report/formats/csv.ts';
import { abTables } from '../../../src/report/tables/ab-tables.ts';
import { tablesOf } from '../../../src/report/tables/tables.ts';
import { failing } from '../../judge/failing-variant.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { judged } from '../../judge/judged.ts';

describe('an arm whose slices are all discarded', () => {
  const summary = judged(failing);
  const own = summary.averages.filter(({ variant }) => variant === 'e');
  const table = tablesOf(summary, { connections: 1 }).tables.find(({ title }) => title === 'Averages');

  test('has their requests by status in summary.json, beside the numbers that count', () => {
    const [{ discarded }] = own as [(typeof own)[number]];
    expect(discarded).toMatchObject({ slices: 8, errors: 0, timeouts: 0 });
    expect(discarded?.failed).toBeGreaterThan(1000);
    expect(discarded?.statuses).toEqual({ 500: discarded?.failed });
    expect(summary.averages.filter((one) => one.discarded !== undefined)).toEqual(own);
  });

  test('has them under the averages, and no count of failures that reads as none', () => {
    const row = table?.rows.find(([name]) => name?.text.startsWith('e'));
    expect(row?.slice(-3, -1).map(({ text }) => text)).toEqual(['n/a', 'n/a']);
    expect(table?.notes.join('\n')).toMatch(
      /^Failed in discarded slices: e \[!\] [\d,]+ of [\d,]+ \([\d,]+ x 500\)\.$/m,
    );
    const counts = abTables(summary)[0]?.rows.filter(([head]) =>
      /^(time taken|complete|failed|bytes)/.test(head?.text ?? ''),
    );
    expect(counts?.map((cells) => cells.at(-1)?.text)).toEqual(['n/a', 'n/a', 'n/a', 'n/a']);
    expect(abBlocks(summary).find(({ title }) => title.startsWith('e'))?.text).toMatch(/^Failed requests: +n\/a$/m);
  });

  test('has them in columns of averages.csv, and empty fields where others have counts', () => {
    const [head, ...rows] = averagesCsv(summary)
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const field = (variant: string, name: string): string | undefined =>
      rows.find(([first]) => first === variant)?.[head?.indexOf(name) ?? -1];
    expect(['ok', 'not_ok', 'errors', 'timeouts'].map((name) => field('e', name))).toEqual(['', '', '', '']);
    expect(field('e', 'discarded_failed')).toBe(String(own[0]?.discarded?.failed));
    expect([field('b', 'not_ok'), field('b', 'discarded_requests')]).toEqual(['0', '0']);
  });

  test('is not said to have failed besides only', () => {
    expect(own[0]?.notes.map(({ kind }) => kind)).toEqual(['more-uncounted-failures']);
    expect(table?.notes.filter((text) => text.includes('Faster because it failed'))).toEqual([]);
  });
});

test('where discarded slices are included, their requests are counted once', () => {
  const all: FixtureOptions = { ...failing, voided: () => ['failed requests'] };
  const { averages } = summarize(fixtureJournal(all));
  expect(averages.filter(({ discarded }) => discarded !== undefined)).toEqual([]);
});
