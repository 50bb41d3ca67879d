import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { spawnWatched } from '../../../src/base/process/child-process.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { rememberSecret } from '../../../src/base/secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-masked-log-'));
let reaper: Reaper;
beforeAll(() => {
  reaper = startReaper();
});
afterAll(async () => {
  await reaper.close();
  rmSync(folder, { recursive: true });
});

it('the log of a child has no known secret while it runs, nor afterwards', async () => {
  rememberSecret('secret-of-the-child');
  const logFile = join(folder, 'child.log');
  const log = (): string => readFileSync(logFile, 'utf8');
  const script = `process.stdout.write('first secret-of-'); process.stderr.write('at once secret-of-the-child\\n');
    setTimeout(() => process.stdout.write('the-child\\nsecond'), 500);
    process.on('SIGTERM', () => process.stdout.write(' last secret-of-the-child\\n', () => process.exit(0)));
    setInterval(() => {}, 1000);`;
  const child = await spawnWatched({ command: ['node', '-e', script], reaper, logFile });
  await vi.waitFor(() => expect(log()).toMatch(/second$/m), { timeout: 120_000, interval: 5 });
  expect(log()).not.toContain('secret-of');
  await child.stop();
  expect(log().split('\n').sort()).toEqual([
    '',
    expect.stringContaining('***'),
    expect.stringContaining('***'),
    'second last ***',
  ]);
  expect(child.tail()).toContain('second last ***');
});

it('a child whose log cannot be opened is not started', async () => {
  rememberSecret('secret-of-the-child');
  const trace = join(folder, 'it-runs');
  const command = ['node', '-e', `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`] as const;
  const missing = join(folder, 'no-such-folder', 'child.log');
  await expect(spawnWatched({ command, reaper, logFile: missing })).rejects.toMatchObject({ code: 'ENOENT' });
  // The same program would have left its trace by the time that another run of it has ended.
  const logFile = join(folder, 'other.log');
  const other = await spawnWatched({ command: ['node', '-e', ''], reaper, logFile });
  await other.exited;
  expect(existsSync(trace)).toBe(false);
});
