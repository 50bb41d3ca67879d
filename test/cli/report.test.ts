import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

it('report --control judges the run again against another variant, beside its own report', async () => {
  const own = join(folder, 'own');
  mkdirSync(own);
  const { run: head, records } = fixtureJournal({ ...small, noise: 0.003 });
  const journal = openJournal(join(own, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  await run('report', '--no-limits', own);
  const before = readFileSync(join(own, 'summary.json'), 'utf8');
  const { code, out } = await run('report', own, '--control', 'b');
  expect(code).toBe(0);
  const screen = out.replace(/\s+/g, ' ');
  expect(screen).toContain('! Changes are against b, chosen after the run (planned: a): the error of 5 % holds if');
  expect(screen).toContain('control b, planned a');
  expect(screen).toMatch(
    /All tables: pgsweep report \S+ --control b --full, or report\.md and report\.html in \S+against-b\. $/,
  );
  expect(readFileSync(join(own, 'summary.json'), 'utf8')).toBe(before);
  const against = JSON.parse(readFileSync(join(own, 'against-b', 'summary.json'), 'utf8'));
  expect(against.run).toMatchObject({ control: 'b', plannedControl: 'a' });
  const { code: unknown, err } = await run('report', '--no-limits', own, '--control', 'pool');
  expect(unknown).toBe(2);
  expect(err).toContain('no variant of this run is named "pool"');
  expect(err).toContain('--control takes one of its variants: a; b');
});

it.each([
  ['report.md', /report\.md could not be written: there is a folder with its name\n/],
  ['samples/slices.csv', /slices\.csv could not be written: there is a folder with its name\n/],
])('report prints its report where %s cannot be written, and then says so', async (file, message) => {
  const own = join(folder, `unwritten-${file.replace('/', '-')}`);
  mkdirSync(join(own, file), { recursive: true });
  const { run: head, records } = fixtureJournal({ ...small, noise: 0.003 });
  const journal = openJournal(join(own, 'journal.jsonl'));
  for (const record of [head, ...records]) journal.append(record);
  journal.close();
  const { code, out, err } = await run('report', '--no-limits', own);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  expect(out).toContain('control a');
});

it('report names the scenario in its commands as it is seen from here, and the files as it was seen from the run', async () => {
  const bench = join(folder, 'bench');
  mkdirSync(bench);
  const { run: head, records } = fixtureJournal({ ...small, rounds: 5, voided: () => ['generator busy'] });
  const journal = openJournal(join(bench, 'journal.jsonl'));
  const scenario = { ...head.scenario, file: 'w.yaml' };
  for (const record of [{ ...head, startedIn: bench, scenario }, ...records]) journal.append(record);
  journal.close();
  const command = async (): Promise<string> => {
    const { out } = await run('report', '--no-limits', bench);
    return /^ {2}pgsweep sweep .*$/m.exec(out)?.[0] ?? out;
  };
  expect(await command()).toBe('  pgsweep sweep w.yaml');
  writeFileSync(join(bench, 'w.yaml'), '');
  expect(await command()).toBe(`  pgsweep sweep ${join(bench, 'w.yaml')}`);
  expect(readFileSync(join(bench, 'report.md'), 'utf8')).toContain('`pgsweep sweep w.yaml`');
});
