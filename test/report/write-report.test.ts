import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/journal/journal.ts';
import { summarize } from '../../src/judge/summary.ts';
import { html } from '../../src/report/formats/html.ts';
import { markdown } from '../../src/report/formats/markdown.ts';
import { summaryJson } from '../../src/report/write-report.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { contentOf } from './report-content.ts';

test.each([
  ['elsewhere/mine', 'elsewhere/mine'],
  ['results/mine', 'results/mine'],
  [join(process.cwd(), 'mine'), 'mine'],
  ['/other/results/mine', 'RUN'],
  ['../mine', 'RUN'],
  ['.', 'RUN'],
])('the command that resumes the run in %s works where it is pasted', (folder, shown) => {
  const content = contentOf(fixtureJournal({ rounds: 3 }), folder);
  expect(markdown.render(content)).toContain(`\`pgsweep sweep --resume ${shown} --rounds 4\``);
  expect(html.render(content)).toContain(`<code>pgsweep sweep --resume ${shown} --rounds 4</code>`);
});

test('fractions in summary.json have six significant digits, whole numbers all of theirs', () => {
  const journal = readJournal('docs/examples/pool-size-run/journal.jsonl');
  const numbers: number[] = [];
  const summary = summarize(journal);
  JSON.parse(summaryJson(summary), (_, value: unknown) => {
    if (typeof value === 'number') numbers.push(value);
    return value;
  });
  expect(numbers.filter((one) => !Number.isInteger(one) && Number(one.toPrecision(6)) !== one)).toEqual([]);
  const [{ bytes } = { bytes: 0 }] = summary.averages;
  expect(bytes).toBeGreaterThan(1e6);
  expect(numbers).toContain(bytes);
});
