import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { bootId } from '../../src/base/process/read-proc.ts';
import { identityOf, readProcess } from '../../src/base/process/reaper-processes.mjs';
import { needs } from '../support/needs.ts';
import { withoutProc } from '../support/without-proc.ts';
import { startCli } from './cli.ts';

const mounts = await needs('mounts');

it('pgsweep clean says that nothing is left where no run was killed', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'pgsweep-clean-'));
  const { code, out, err } = await startCli(['clean'], { env: { XDG_CACHE_HOME: cache } }).done;
  rmSync(cache, { recursive: true });
  expect({ code, out, err }).toEqual({ code: 0, out: 'No run left anything behind.\n', err: '' });
});

it('pgsweep clean ends with 3 where something could not be removed, and finds it again', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'pgsweep-clean-'));
  const running = join(cache, 'pgsweep', 'running');
  mkdirSync(running, { recursive: true, mode: 0o700 });
  const ledger = join(running, '1-0123456789ab.jsonl');
  const command = [process.execPath, '-e', 'console.error("the engine is down"); process.exit(1)'];
  // No process has started at that time.
  const lines = [
    { pid: process.pid, startTime: '1', boot: bootId(), run: null },
    { command: { id: 'container x', command, env: {} } },
  ];
  writeFileSync(ledger, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  for (let time = 0; time < 2; time++) {
    const { code, out } = await startCli(['clean'], { env: { XDG_CACHE_HOME: cache } }).done;
    expect({ code, out }).toEqual({ code: 3, out: 'container x could not be removed: the engine is down\n' });
  }
  expect(existsSync(ledger)).toBe(true);
  rmSync(cache, { recursive: true });
});

describe('what may still be used', () => {
  const started: ChildProcess[] = [];
  const folders: string[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  /** A bench that is gone, and left a process that works in its data folder, whose postmaster.pid names it. */
  function left(startTimes: boolean) {
    const cache = mkdtempSync(join(tmpdir(), 'pgsweep-clean-'));
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pgsweep-pg-')));
    folders.push(cache, folder);
    const data = join(folder, 'data');
    mkdirSync(data);
    const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true, cwd: data });
    started.push(child);
    const pid = child.pid ?? 0;
    writeFileSync(join(data, 'postmaster.pid'), `${pid}\n${data}\n`);
    const running = join(cache, 'pgsweep', 'running');
    mkdirSync(running, { recursive: true, mode: 0o700 });
    const watch = { pid, signal: 'SIGINT', group: true, ...(startTimes && { startTime: readProcess(pid)?.startTime }) };
    const lines = [
      { pid: 2 ** 22, ...(startTimes && { startTime: '1' }), boot: startTimes ? bootId() : '', run: null },
      { watch },
      { folder, identity: identityOf(folder) },
    ];
    const ledger = join(running, '1-0123456789ab.jsonl');
    writeFileSync(ledger, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
    const clean = (through: readonly string[] = []) =>
      startCli(['clean'], { env: { XDG_CACHE_HOME: cache }, through }).done;
    return { pid, folder, ledger, clean };
  }

  it.each([[true], [false]])(
    'stays where nothing tells when a process started, with the commands that end it (the run saw start times: %s)',
    mounts.orSkip,
    async (startTimes) => {
      const { pid, folder, ledger, clean } = left(startTimes);
      const { code, out } = await clean(withoutProc());
      expect(out).toContain(`process ${pid} could not be ended: `);
      expect(out).toContain(`end it: kill -s INT -- -${pid}\n`);
      expect(out).toContain(
        `folder ${folder} could not be removed: the Postgres of process ${pid} may still run in it.`,
      );
      expect(code).toBe(3);
      expect(readProcess(pid)?.state).toBe('S');
      expect([folder, ledger].map((path) => existsSync(path))).toEqual([true, true]);
      process.kill(-pid, 'SIGKILL');
      await expect.poll(() => readProcess(pid)?.state ?? 'Z').toBe('Z');
      expect(await clean()).toMatchObject({ code: 0, out: `folder ${folder} removed\n` });
    },
  );

  it('is the folder of a Postgres that no one watches, for as long as it works there', async () => {
    const { pid, folder, ledger, clean } = left(true);
    const [head, , own] = linesOf(ledger);
    writeFileSync(ledger, `${head}\n${own}\n`);
    expect(await clean()).toMatchObject({ code: 3, out: expect.stringContaining(`kill -s INT ${pid}\n`) });
    expect(existsSync(folder)).toBe(true);
    // Another process has the number by now.
    const elsewhere = spawn('sleep', ['600'], { stdio: 'ignore', cwd: tmpdir() });
    started.push(elsewhere);
    writeFileSync(join(folder, 'data', 'postmaster.pid'), `${elsewhere.pid}\n`);
    expect(await clean()).toMatchObject({ code: 0, out: `folder ${folder} removed\n` });
  });
});

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n');
}
