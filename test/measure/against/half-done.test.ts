import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { removeHalfDone } from '../../../src/measure/against/snapshots.ts';

vi.mock('../../../src/base/process/reaper-processes.mjs', async (original) => ({
  ...(await original<typeof import('../../../src/base/process/reaper-processes.mjs')>()),
  hasProc: false,
  readProcess: () => null,
}));

it('half a snapshot of a process that lives stays, also where the system has no /proc', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'pgsweep-half-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true });
  });
  const [living, gone] = [process.ppid, 2 ** 30].map((pid) => join(cache, `pgsweep/against/.building-${pid}-x`));
  for (const folder of [living, gone]) mkdirSync(folder ?? '', { recursive: true });
  expect(await removeHalfDone()).toEqual([gone]);
});
