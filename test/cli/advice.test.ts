import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { adviceAfter } from '../../src/cli/advice.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { small } from '../judge/small-run.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-advice-'));
afterAll(() => rmSync(folder, { recursive: true }));

const resume = 'pgsweep sweep --resume results/x';

it('an interrupted run is resumed with what its command asked: it does not store that', () => {
  const ended = { code: 'interrupted', rounds: 3, before: 0, folder: 'results/x', written: true } as const;
  expect(adviceAfter({ ...ended, asked: " --gate 'rps > -5%' --size", servers: ' --allow-remote' })).toMatch(
    /Resume it: pgsweep sweep --resume results\/x --gate 'rps > -5%' --size --allow-remote$/,
  );
});

it.each([
  ['a run that had not begun', { code: 'stack', rounds: null, before: 0 }, /^Nothing was measured\.$/],
  [
    'an interruption',
    { code: 'interrupted', rounds: 3, before: 0 },
    /^3 finished rounds are kept .* Resume it: pgsweep/,
  ],
  [
    'an early interruption',
    { code: 'interrupted', rounds: 0, before: 0 },
    /^No round was finished.* Resume it: pgsweep/,
  ],
  [
    'a service that never gets ready',
    { code: 'target', rounds: 0, before: 0 },
    /fail again: fix the cause, then start a new run\.$/,
  ],
  [
    'a service that died in the fourth round',
    { code: 'target', rounds: 3, before: 0 },
    /reported in results\/x\. Resume it: pgsweep/,
  ],
  [
    'a scenario that is wrong',
    { code: 'scenario', rounds: 3, before: 0 },
    /fail again: fix the cause, then start a new run\.$/,
  ],
  [
    'other data than before',
    { code: 'dataset', rounds: 3, before: 3 },
    /fail again: fix the cause, then start a new run\.$/,
  ],
  [
    'an option that the resumed run cannot have',
    { code: 'usage', rounds: 3, before: 3 },
    /Resume it with the right options: pgsweep/,
  ],
  [
    'a wrong option of a new run',
    { code: 'usage', rounds: 0, before: 0 },
    /fail again: fix the cause, then start a new run\.$/,
  ],
  [
    'the same again at once',
    { code: 'target', rounds: 3, before: 3 },
    /fail again: fix the cause, then resume it: pgsweep/,
  ],
  [
    'a full disk',
    { code: 'disk', rounds: 2, before: 2 },
    /reported above; .* Free some disk space, then resume it: pgsweep/,
  ],
  ['another round', { code: 'stack', rounds: 4, before: 3 }, /^4 finished rounds are kept .* Resume it: pgsweep/],
] as const)('after %s', (_, ended, expected) => {
  const advice = adviceAfter({ ...ended, folder: 'results/x', written: ended.code !== 'disk' });
  expect(advice).toMatch(expected);
  expect(advice.includes(resume)).toBe(/pgsweep/.test(expected.source));
  const ofSearch = adviceAfter({ ...ended, folder: 'results/x', written: true, searches: true });
  expect(ofSearch.includes('pgsweep tune --resume results/x')).toBe(advice.includes(resume));
});

it('names the folder as one word, and the server that the run did not start', () => {
  const ended = { code: 'interrupted', rounds: 3, before: 0, written: true, servers: ' --postgres URL' } as const;
  expect(adviceAfter({ ...ended, folder: 'my run; x' })).toContain(
    "Resume it: pgsweep sweep --resume 'my run; x' --postgres URL",
  );
});

it('a k6 run whose script was allowed other machines is not resumed without them', async () => {
  const { run: head, records } = fixtureJournal({ ...small, rounds: 4, end: null });
  const { load } = head.scenario;
  const k6 = { kind: 'k6', script: '/x.js', exec: 'default', env: {}, urlVariable: 'URL', tokenVariable: 'T' } as const;
  const workload = { ...k6, remote: true } as const;
  mkdirSync(join(folder, 'k6'));
  const journal = openJournal(join(folder, 'k6', 'journal.jsonl'));
  journal.append({ ...head, scenario: { ...head.scenario, load: { ...load, workload } } });
  for (const record of records) journal.append(record);
  journal.close();
  const { code, err } = await run('sweep', '--resume', join(folder, 'k6'));
  expect(code).toBe(2);
  expect(err).toMatch(/the script of the run was allowed to reach other machines.*\n.*--allow-remote/);
});

it('a run that began on a server of the user is resumed with it, and not begun anew', async () => {
  const { run: head, records } = fixtureJournal({ ...small, rounds: 4, end: null });
  const journal = openJournal(join(folder, 'journal.jsonl'));
  journal.append({ ...head, provenance: { ...head.provenance, stack: 'external' } });
  for (const record of records) journal.append(record);
  journal.close();
  const { code, err } = await run('sweep', '--resume', folder);
  expect([code, err]).toEqual([2, expect.stringContaining('the run began with the stack external')]);
  expect(err).toContain(`Resume it with the right options: pgsweep sweep --resume ${folder} --postgres URL`);
});
