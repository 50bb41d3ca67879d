import { expect, it } from 'vitest';
import type { IndexesRecord } from '../../../src/journal/treatment-records.ts';
import { indexUses } from '../../../src/judge/explain/index-uses.ts';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

/** Two indexes of one name, in two schemas, and one whose schema has a point in its name. */
const indexes: IndexesRecord['indexes'] = [
  { table: 'items', name: 'ix', bytes: 8192, scans: 1 },
  { table: 'sales.items', name: 'ix', bytes: 16_384, scans: 12 },
  { table: 'a.b.items', name: 'iy', bytes: 32_768, scans: 7 },
];

/** Tables of the indexes that a variant without this one has in the list. */
function tablesWithout(name: string, key: 'dropIndex' | 'hideIndex' = 'dropIndex') {
  const data = aggregateRun(fixtureJournal({ ...small, rounds: 1 }));
  const [a, b] = data.scenario.variants;
  if (a === undefined || b === undefined) throw new Error('no variants');
  const treatment = { settings: {}, dropIndex: [], createIndex: [], hideIndex: [], sql: [], [key]: [name] };
  return indexUses({
    ...data,
    scenario: { ...data.scenario, variants: [a, { ...b, treatment }] },
    indexes: [{ type: 'indexes', round: 1, arm: 'a', indexes }],
  }).map(({ index, change, table, scans }) => ({ index, change, table, scans }));
}

it('an index that is named with its schema is in the list', () => {
  expect(tablesWithout('sales.ix')).toEqual([
    { index: 'sales.ix', change: 'removed', table: 'sales.items', scans: 12 },
  ]);
  expect(tablesWithout('public.ix', 'hideIndex')).toEqual([
    { index: 'public.ix', change: 'hidden', table: 'items', scans: 1 },
  ]);
  expect(tablesWithout('a.b.iy')).toMatchObject([{ table: 'a.b.items' }]);
  expect(tablesWithout('iy')).toMatchObject([{ table: 'a.b.items' }]);
  expect(tablesWithout('other.ix')).toEqual([]);
});
