import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { expect, it, onTestFinished } from 'vitest';
import { aggregateRun } from '../../../src/judge/read/aggregate-run.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { exportRun } from '../../../src/report/exports/export-run.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { needs } from '../../support/needs.ts';

const go = await needs('go');

const journal = fixtureJournal({
  variants: ['base', 'slow/er'],
  control: 'base',
  connections: [1, 25],
  rounds: 6,
  noise: 0.005,
  effect: ({ variant }) => (variant === 'slow/er' ? Math.log(0.9) : 0),
});

it('the export is read by benchstat itself, which finds the tenth', go.orSkip, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-benchstat-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs.txt');
  writeFileSync(file, exportRun(aggregateRun(journal), summarize(journal), 'benchstat'));
  const args = [
    'run',
    'golang.org/x/perf/cmd/benchstat@latest',
    '-col',
    '/variant',
    '-filter',
    '.unit:requests_per_s',
    '-format',
    'csv',
    file,
  ];
  const { stdout, stderr } = await promisify(execFile)('go', args, { env: { ...process.env, GOFLAGS: '-mod=mod' } });
  expect(stderr.replace(/^go: downloading .*$/gm, '').trim()).toBe('');
  // base, another, and slow_er with its change and p value.
  const rows = (parse(stdout, { relax_column_count: true }) as string[][]).filter(([name]) =>
    name?.includes('load=25_connections'),
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.join(' ')).toMatch(/-(9|10|11)\.\d+% p=0\.002 n=6/);
});
