import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { type CliResult, cli } from '../../cli/cli.ts';
import { measureAtQuiet } from './quiet-machine.ts';

let folder: string;
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('a quick sweep of the document service ends well, and its session is fit', {
  timeout: 300_000,
}, async ({ skip }) => {
  let run = '';
  const sweep = (): Promise<CliResult> => {
    run = join(folder, `run-${runs++}`);
    return cli('sweep', '--quick', '--out', run, '--seed', '7');
  };
  const { found, disturbed } = await measureAtQuiet(sweep, ({ code }) => code === 0, 2);
  const summary: Summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
  if (disturbed) skip(`other programs keep this machine busy: exit ${found.code}, ${summary.session.reasons}`);
  expect(found.code, found.err).toBe(0);
  expect(summary.session).toMatchObject({ verdict: 'fit', reasons: [] });
  expect(new Set(summary.comparisons.map(({ verdict }) => verdict))).toEqual(new Set(['unclear']));
});
