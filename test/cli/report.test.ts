import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { small } from '../judge/small-run.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('report --full prints the changes of each kind of request, which the first screen names where the rate does not tell of them', async () => {
  const { run: head, records } = fixtureJournal({
    ...small,
    noise: 0.003,
    requests: ({ variant }) => ({
      'read item': { share: 0.7, latency: variant === 'b' ? 0.8 : 1 },
      'create post': { share: 0.3, latency: variant === 'b' ? 1.4667 : 1 },
    }),
  });
  const journal = openJournal(join(folder, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  const { out: screen } = await run('report', '--no-limits', folder);
  expect(screen.replace(/\s+/g, ' ')).toMatch(
    /but by request create post \(\+4\d\.\d %\) takes longer, read item \(-(19|20)\.\d %\) takes less time\./,
  );
  const table = /\nMean ms by request, 25 connections: change against a\n/;
  expect(screen).not.toMatch(table);
  const { out: full } = await run('report', '--no-limits', folder, '--full');
  expect(full).toMatch(table);
  expect(full).toMatch(/\bcreate post\b.*\+4\d\.\d % \[.*\] higher/);
});
