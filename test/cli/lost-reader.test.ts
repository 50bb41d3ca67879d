import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJournal } from '../../src/journal/journal.ts';
import { needs } from '../support/needs.ts';
import { exitCodeOf, ownMark } from './cli.ts';
import { untilNothingIsLeft } from './left-overs.ts';

const { has: bin } = await needs('built');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-reader-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts pgsweep with both of its outputs in pipes. */
function start(...args: string[]): ChildProcess {
  const [name = '', mark] = ownMark.split('=');
  const env = { ...process.env, [name]: mark };
  return spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
}

it('a run whose readers go away continues to its end, and stops all that it started', async () => {
  const run = join(folder, 'run');
  const child = start('sweep', 'test/fixtures/services/items.yaml', '--out', run, '--rounds', '1');
  const exit = once(child, 'exit');
  await once(child.stderr as NonNullable<typeof child.stderr>, 'data');
  child.stderr?.destroy();
  child.stdout?.destroy();
  expect(await exit).toEqual([exitCodeOf(run), null]);
  expect([...readJournal(join(run, 'journal.jsonl')).records].at(-1)?.type).toBe('end');
  await untilNothingIsLeft();
});
