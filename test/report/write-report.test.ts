import { join } from 'node:path';
import { expect, test } from 'vitest';
import { html } from '../../src/report/formats/html.ts';
import { markdown } from '../../src/report/formats/markdown.ts';
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
