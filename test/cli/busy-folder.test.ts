import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { hasProc, readProcess } from '../../src/base/process/reaper-processes.mjs';
import { createRunFolder, requireFree, runFolderAt, takeFolder } from '../../src/measure/run/run-folder.ts';
import { withServers } from '../../src/measure/run/servers/session-servers.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { startCli } from './cli.ts';

let parent: string;
let run: string;
let bench: ChildProcess;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'pgsweep-busy-'));
  // No folder: nothing that a user has elsewhere is needed.
  vi.stubEnv('XDG_CACHE_HOME', '/dev/null');
  run = join(parent, 'run');
  mkdirSync(run);
  bench = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.kill('SIGKILL');
  rmSync(parent, { recursive: true });
});

/** Writes the lock of a bench that works in the run's folder, as that bench does. */
function writeLock(changes: object = {}, ageMs = 0): string {
  const file = join(run, 'running.json');
  const giveBack = takeFolder(run);
  const own = JSON.parse(readFileSync(file, 'utf8'));
  giveBack();
  const pid = bench.pid ?? 0;
  writeFileSync(file, JSON.stringify({ ...own, pid, startTime: readProcess(pid)?.startTime, ...changes }));
  const at = new Date(Date.now() - ageMs);
  utimesSync(file, at, at);
  return file;
}

it('is refused to a new and to a resumed run while another process works in it, under whatever name', async () => {
  writeLock();
  const message = `process ${bench.pid} is running in ${run}, and two runs cannot share a folder`;
  expect(() => createRunFolder(run)).toThrow(message);
  const link = join(parent, 'link');
  symlinkSync(run, link);
  for (const args of [
    ['--resume', run],
    ['--resume', link],
    ['test/fixtures/services/items.yaml', '--out', run],
  ]) {
    const { code, err } = await startCli(['sweep', ...args], { env: { XDG_CACHE_HOME: '/dev/null' } }).done;
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`process ${bench.pid} is running in `) });
    expect(err).toContain('running.json');
  }
  expect(readdirSync(run)).toEqual(['running.json']);
  expect(() => requireFree(join(parent, 'other'))).not.toThrow();
});

it('is refused to the later of two that started at the same time, before anything is started', async () => {
  const options = {
    scenario: testScenario(),
    stackChoice: { kind: 'embedded' } as const,
    folder: runFolderAt(run),
    emit: () => {},
    signal: new AbortController().signal,
  };
  const lock = writeLock();
  await expect(withServers(options, async () => 'ran')).rejects.toThrow(`process ${bench.pid} is running in ${run}`);
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: bench.pid });
});

it('is free again once that process is gone, however it ended', async () => {
  writeLock();
  bench.kill('SIGKILL');
  await once(bench, 'exit');
  expect(() => requireFree(run)).not.toThrow();
  takeFolder(run)();
  expect(readdirSync(run)).toEqual([]);
});

it.runIf(hasProc)('is free where the number is another process by now', () => {
  writeLock({ startTime: '1' });
  expect(() => requireFree(run)).not.toThrow();
  // Where a system does not tell, the number alone counts.
  writeLock({ startTime: undefined });
  expect(() => requireFree(run)).toThrow('is running in');
});

it('is taken by one of two, until that gives it back', () => {
  const giveBack = takeFolder(run);
  expect(() => takeFolder(run)).toThrow(`process ${process.pid} is running in ${run}`);
  giveBack();
  takeFolder(run)();
});

it('is refused while a process of another container touches its lock', () => {
  const file = writeLock({ place: 'another' });
  const touch = `setInterval(() => require('fs').utimesSync(${JSON.stringify(file)}, new Date(), new Date()), 50)`;
  const other = spawn(process.execPath, ['-e', touch], { stdio: 'ignore' });
  onTestFinished(() => void other.kill('SIGKILL'));
  expect(() => requireFree(run)).toThrow(`a process of another container or machine is running in ${run}`);
});

it('is free some seconds after a process of another container was killed, and a run waits for that', () => {
  // Of the 15 s that a lock counts, 14 are over.
  writeLock({ place: 'another' }, 14_000);
  expect(() => requireFree(run)).not.toThrow();
});

it('is touched again and again by the process that has it', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const giveBack = takeFolder(run);
  const file = join(run, 'running.json');
  utimesSync(file, 0, 0);
  vi.advanceTimersByTime(5000);
  expect(Date.now() - statSync(file).mtimeMs).toBeLessThan(60_000);
  giveBack();
});
