import { expect, test } from 'vitest';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { tablesOf } from '../../../src/report/tables/tables.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

const summary = summarize(fixtureJournal({ ...small, failures: () => ({ statuses: { 404: 9 } }) }));

/** The heads of the averages' counts, their numbers of the first arm, and the note on statuses. */
function countsIn(shown: Summary) {
  const [load] = shown.run.loads;
  if (load === undefined) throw new Error('the run has no load level');
  const averages = tablesOf(shown, load).tables.find(({ title }) => title === 'Averages');
  const heads = averages?.columns.map(({ head }) => head).slice(8, 10);
  const numbers = averages?.rows[0]?.slice(8, 10).map(({ text }) => Number(text.replaceAll(',', '')));
  return { heads, numbers, note: averages?.notes.find((text) => text.startsWith('Answers by status')) };
}

test('answers are counted by 2xx where no other is expected', () => {
  const { heads, note } = countsIn(summary);
  expect(heads).toEqual(['2xx', 'non-2xx']);
  expect(note).toMatch(/ x 404\.$/);
});

test('answers that the scenario expects are not called 2xx where some have another status', () => {
  const averages = summary.averages.map((one) => ({ ...one, ok: one.ok + one.not_ok, not_ok: 0 }));
  const { heads, numbers, note } = countsIn({ ...summary, averages });
  expect(heads).toEqual(['as expected', 'failed']);
  expect(numbers).toEqual([averages[0]?.ok, 0]);
  expect(note).toMatch(/ x 404\. 2xx\/s counts answers as expected\.$/);
});
