import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { leftLedgers, openLedger } from '../../../src/base/process/ledger.ts';
import { cleanUpAfter, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning, isSameProcess, markedBy, readProcess } from '../../../src/base/process/reaper-processes.mjs';

const started: ChildProcess[] = [];
const gone = { timeout: 120_000, interval: 20 };

function startSleep(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  started.push(child);
  return child.pid ?? 0;
}

/** Starts a bench in a process of its own; `pids` are those of its guard and of what it started. */
async function startBench(): Promise<{ bench: ChildProcess; folder: string; pids: number[] }> {
  const script = fileURLToPath(new URL('./reaper-bench.ts', import.meta.url));
  const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(bench);
  const [line] = await once(bench.stdout, 'data');
  const told: { folder: string; pids: number[] } = JSON.parse(String(line));
  return { bench, ...told };
}

const runs = (pid: number): boolean => isRunning({ pid, group: false });

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

describe('the reaper', () => {
  test('ends what is watched and removes folders when its bench closes it', async () => {
    const reaper = startReaper();
    const [watched, forgotten] = [startSleep(), startSleep()];
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-reaper-'));
    const kept = mkdtempSync(join(tmpdir(), 'pgsweep-reaper-'));
    writeFileSync(join(folder, 'file'), 'x');
    for (const pid of [watched, forgotten]) reaper.watch(pid, { signal: 'SIGTERM', group: true });
    for (const path of [folder, kept]) reaper.watchFolder(path);
    reaper.forget(forgotten);
    reaper.forgetFolder(kept);
    await reaper.close();
    expect(runs(watched)).toBe(false);
    expect(runs(forgotten)).toBe(true);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(kept)).toBe(true);
    rmSync(kept, { recursive: true });
    expect(() => reaper.watchFolder('/')).toThrow(/not a folder to lose/);
  });

  test('after a SIGKILL of the bench: child, grandchild, a child deaf to SIGTERM, one not yet told of and the folder are gone', async () => {
    const { bench, folder, pids } = await startBench();
    expect(pids.map(runs)).toEqual([true, true, true, true, true]);
    expect(existsSync(folder)).toBe(true);
    bench.kill('SIGKILL');
    await vi.waitFor(() => expect(pids.filter(runs)).toEqual([]), gone);
    expect(existsSync(folder)).toBe(false);
  });

  test('survives the signals that are meant for the bench', async () => {
    const reaper = startReaper();
    const pid = startSleep();
    reaper.watch(pid, { signal: 'SIGTERM', group: true });
    await vi.waitFor(() => expect(handlesHangUp(reaper.pid)).toBe(true), gone);
    process.kill(reaper.pid, 'SIGINT');
    process.kill(reaper.pid, 'SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([runs(reaper.pid), runs(pid)]).toEqual([true, true]);
    await reaper.close();
    expect([runs(reaper.pid), runs(pid)]).toEqual([false, false]);
  });

  test('a guard that was killed is replaced by one that knows what it knew', async () => {
    const replaced = vi.fn();
    const reaper = startReaper({ onReplaced: replaced });
    const [before, during, forgotten] = [startSleep(), startSleep(), startSleep()];
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-reaper-'));
    reaper.watchFolder(folder);
    for (const pid of [before, forgotten]) reaper.watch(pid, { signal: 'SIGTERM', group: true });
    for (let i = 0; i < 3; i++) {
      const { pid } = reaper;
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(() => expect(reaper.pid).not.toBe(pid), gone);
    }
    process.kill(reaper.pid, 'SIGKILL');
    // Told to nobody, as far as the bench knows.
    reaper.watch(during, { signal: 'SIGTERM', group: true });
    reaper.forget(forgotten);
    await vi.waitFor(() => expect(replaced).toHaveBeenCalledTimes(4), gone);
    await reaper.close();
    expect([before, during, forgotten].map(runs)).toEqual([false, false, true]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('what a bench left that was killed with its guard', () => {
  let cache: string;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'pgsweep-ledgers-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true });
  });

  /** Starts a bench and kills it and its guard at once. */
  async function killBoth(): Promise<{ folder: string; pids: number[] }> {
    const { bench, folder, pids } = await startBench();
    const [guard = 0, ...children] = pids;
    expect(leftLedgers()).toEqual([]);
    process.kill(guard, 'SIGSTOP');
    bench.kill('SIGKILL');
    process.kill(guard, 'SIGKILL');
    await once(bench, 'exit');
    return { folder, pids: children };
  }

  test('is found by its ledger and removed, and nothing else', async () => {
    const stranger = startSleep();
    const { folder, pids } = await killBoth();
    expect(pids.map(runs)).toEqual([true, true, true, true]);
    const [left, ...others] = leftLedgers();
    if (left === undefined) throw new Error('no ledger');
    expect(others).toEqual([]);
    expect(leftLedgers('/another/run')).toEqual([]);
    const found = await cleanUpAfter(left);
    expect(found).toHaveLength(4);
    expect(found).toContain(`folder ${folder} removed`);
    expect(pids.map(runs)).toEqual([false, false, false, false]);
    expect(existsSync(folder)).toBe(false);
    expect(runs(stranger)).toBe(true);
    expect(leftLedgers()).toEqual([]);
  });

  test('is left alone where it is no longer the same: another process, another folder, another start of the machine', async () => {
    const { folder, pids } = await killBoth();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(pids.filter(runs)).toEqual([]), gone);
    rmSync(folder, { recursive: true });
    mkdirSync(`${folder}-before`);
    mkdirSync(folder);
    const stranger = startSleep();
    const [left] = leftLedgers();
    if (left === undefined) throw new Error('no ledger');
    // The one that is deaf to SIGTERM starts others, of which the last outlives it by a tenth of a second.
    const mark = left.messages.flatMap((text) => JSON.parse(text).mark ?? []).join();
    expect(mark).not.toBe('');
    await vi.waitFor(() => expect(markedBy(mark)).toEqual([]), gone);
    const messages = left.messages.map((text) => text.replace(`"pid":${pids[0]},`, `"pid":${stranger},`));
    expect(await cleanUpAfter({ ...left, messages })).toEqual([]);
    expect(runs(stranger)).toBe(true);
    expect(existsSync(folder)).toBe(true);
    const startTime = readProcess(stranger)?.startTime;
    const watch = JSON.stringify({ watch: { pid: stranger, startTime, signal: 'SIGTERM', group: true } });
    expect(await cleanUpAfter({ ...left, messages: [watch], sameBoot: false })).toEqual([]);
    expect(runs(stranger)).toBe(true);
    expect(await cleanUpAfter({ ...left, messages: [watch] })).toEqual([`process ${stranger} ended`]);
    for (const path of [folder, `${folder}-before`]) rmSync(path, { recursive: true });
  });
});

describe('a ledger of a user whose cache cannot be written', () => {
  let temporary: string;
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'pgsweep-ledgers-'));
    vi.stubEnv('XDG_CACHE_HOME', '/dev/null');
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  });

  /** Leaves a ledger as if its bench had been killed. */
  function leaveLedger(): string {
    const { file } = openLedger(null) ?? { file: '' };
    const head = { pid: 2 ** 30, boot: '', run: null };
    writeFileSync(file, `${JSON.stringify(head)}\n`);
    return file;
  }

  test('is in a folder of theirs for temporary files, and found there, also once the cache can be written', () => {
    const file = leaveLedger();
    const [folder = ''] = readdirSync(temporary);
    expect(dirname(file)).toBe(join(temporary, folder));
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(leftLedgers().map((left) => left.file)).toEqual([file]);
    vi.stubEnv('XDG_CACHE_HOME', join(temporary, 'cache'));
    expect(leftLedgers().map((left) => left.file)).toEqual([file]);
  });

  test('is where servers have their data, if the system has no such folder', () => {
    vi.stubEnv('PGSWEEP_TMP', temporary);
    vi.stubEnv('TMPDIR', '/dev/null');
    const file = leaveLedger();
    expect(dirname(dirname(file))).toBe(temporary);
    expect(leftLedgers().map((left) => left.file)).toEqual([file]);
  });

  test('is neither written nor read where others can write, or can put another folder in its place', () => {
    const folder = dirname(leaveLedger());
    for (const [path, mode] of [
      [folder, 0o770],
      [temporary, 0o777],
    ] as const) {
      const before = statSync(path).mode;
      chmodSync(path, mode);
      expect(openLedger(null)).toBeNull();
      expect(leftLedgers()).toEqual([]);
      chmodSync(path, before);
    }
    chmodSync(temporary, 0o1777);
    expect(leftLedgers()).toHaveLength(1);
    renameSync(folder, join(temporary, 'elsewhere'));
    symlinkSync(join(temporary, 'elsewhere'), folder);
    expect(openLedger(null)).toBeNull();
    expect(leftLedgers()).toEqual([]);
  });
});

describe('a ledger in a cache that another user can write to', () => {
  test('is not read, since its commands would be run', () => {
    const cache = mkdtempSync(join(tmpdir(), 'pgsweep-ledgers-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
    const running = join(cache, 'pgsweep', 'running');
    mkdirSync(running, { recursive: true, mode: 0o700 });
    const head = { pid: 2 ** 30, boot: '', run: null };
    writeFileSync(join(running, '1-0123456789ab.jsonl'), `${JSON.stringify(head)}\n`);
    expect(leftLedgers()).toHaveLength(1);
    chmodSync(join(cache, 'pgsweep'), 0o777);
    expect(leftLedgers()).toEqual([]);
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true });
  });
});

describe('a pid given to another process', () => {
  test('is told by the start time', () => {
    const pid = startSleep();
    const startTime = readProcess(pid)?.startTime;
    expect(startTime).toMatch(/^\d+$/);
    expect(isSameProcess({ pid, startTime })).toBe(true);
    expect(isSameProcess({ pid, startTime: '1' })).toBe(false);
    // Systems without /proc have no start time to compare.
    expect(isSameProcess({ pid, startTime: undefined })).toBe(true);
  });

  test('is left alone by the reaper', async () => {
    const script = fileURLToPath(new URL('../../../src/base/process/reaper.mjs', import.meta.url));
    const [stranger, ours] = [startSleep(), startSleep()];
    const guard = spawn(process.execPath, [script, '1000'], { stdio: ['pipe', 'ignore', 'inherit'] });
    started.push(guard);
    guard.stdin.write(
      `${JSON.stringify({ watch: { pid: stranger, signal: 'SIGTERM', group: true, startTime: '1' } })}\n`,
    );
    guard.stdin.write(`${JSON.stringify({ watch: { pid: ours, signal: 'SIGTERM', group: true } })}\n`);
    guard.stdin.end('{"watch": {"pid": 1, "sig');
    await once(guard, 'exit');
    expect([runs(stranger), runs(ours)]).toEqual([true, false]);
  });
});

/** Linux: the lowest bit of the caught signals. Before its handlers are in place, a signal ends the guard. */
function handlesHangUp(pid: number): boolean {
  const caught = /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
}
