import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lockFolder } from '../../../src/base/process/folder-lock.ts';

/** What another process does after this one has looked for a lock, and before it writes its own. */
const meanwhile = vi.hoisted(() => ({ act: () => {} }));
vi.mock('../../../src/base/process/reaper-processes.mjs', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/base/process/reaper-processes.mjs')>();
  return {
    ...original,
    readProcess(pid: number) {
      if (pid === process.pid) meanwhile.act();
      return original.readProcess(pid);
    },
  };
});

const NO_PROCESS = 2 ** 31 - 2;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-lock-'));
  file = join(folder, 'running.json');
});
afterEach(() => {
  meanwhile.act = () => {};
  rmSync(folder, { recursive: true });
});

it.each([
  ['no lock', false],
  ['the lock of a run that was killed', true],
])('of two that start at the same moment, where there is %s, one gets the folder', (_, isLeft) => {
  lockFolder(folder)?.();
  const giveBack = lockFolder(folder);
  const own = readFileSync(file, 'utf8');
  giveBack?.();
  if (isLeft) writeFileSync(file, own.replace(/"pid":\d+/, `"pid":${NO_PROCESS}`));
  const others = own.replace(/"pid":\d+/, '"pid":1');
  meanwhile.act = () => writeFileSync(file, others);
  expect(lockFolder(folder)).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe(others);
  expect(readdirSync(folder)).toEqual(['running.json']);
});
