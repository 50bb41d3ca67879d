import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { bootId } from '../../src/base/process/read-proc.ts';
import { hasProc, readProcess } from '../../src/base/process/reaper-processes.mjs';
import { createRunFolder, requireFree, runFolderAt } from '../../src/measure/run/run-folder.ts';
import { withServers } from '../../src/measure/run/servers/session-servers.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { startCli } from './cli.ts';

let cache: string;
let run: string;
let bench: ChildProcess;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'pgsweep-busy-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
  run = join(cache, 'run');
  mkdirSync(run);
  bench = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.kill('SIGKILL');
  rmSync(cache, { recursive: true });
});

const running = (): string => join(cache, 'pgsweep', 'running');

/** Writes the ledger of a bench that works in the run's folder. */
function writeLedger(changes: object = {}): string {
  const pid = bench.pid ?? 0;
  mkdirSync(running(), { recursive: true, mode: 0o700 });
  const file = join(running(), `${pid}-0123456789ab.jsonl`);
  const head = { pid, startTime: readProcess(pid)?.startTime, boot: bootId(), run, ...changes };
  writeFileSync(file, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  return file;
}

it('is refused to a new and to a resumed run while another process works in it, under whatever name', async () => {
  const ledger = writeLedger();
  const message = `process ${bench.pid} is running in ${run}, and two runs cannot share a folder`;
  expect(() => createRunFolder(run)).toThrow(message);
  const link = join(cache, 'link');
  symlinkSync(run, link);
  for (const args of [
    ['--resume', run],
    ['--resume', link],
    ['test/fixtures/services/items.yaml', '--out', run],
  ]) {
    const { code, err } = await startCli(['sweep', ...args], { env: { XDG_CACHE_HOME: cache } }).done;
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`process ${bench.pid} is running in `) });
    expect(err).toContain(ledger);
  }
  expect(readdirSync(run)).toEqual([]);
  expect(() => requireFree(join(cache, 'other'))).not.toThrow();
});

it('is refused to the later of two that started at the same time, before anything is started', async () => {
  const options = {
    scenario: testScenario(),
    stackChoice: { kind: 'embedded' } as const,
    folder: runFolderAt(run),
    emit: () => {},
    signal: new AbortController().signal,
  };
  const ledger = writeLedger();
  await expect(withServers(options, async () => 'ran')).rejects.toThrow(`process ${bench.pid} is running in ${run}`);
  // Its own ledger is gone again.
  await expect.poll(() => readdirSync(running()).map((name) => join(running(), name))).toEqual([ledger]);
});

it('is free again once that process is gone, however it ended', async () => {
  writeLedger();
  bench.kill('SIGKILL');
  await once(bench, 'exit');
  expect(() => requireFree(run)).not.toThrow();
});

it.runIf(hasProc)('is free where the number is another process by now, or was before the machine started', () => {
  for (const changes of [{ startTime: '1' }, { boot: 'another' }]) {
    writeLedger(changes);
    expect(() => requireFree(run)).not.toThrow();
  }
  // Where a system tells neither, the number alone counts.
  writeLedger({ startTime: undefined, boot: '' });
  expect(() => requireFree(run)).toThrow('is running in');
});
