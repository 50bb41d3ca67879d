import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startReaper } from '../../src/base/reaper.ts';
import { isRunning, isSameProcess, readProcess } from '../../src/base/reaper-processes.mjs';

const started: ChildProcess[] = [];
const gone = { timeout: 30_000, interval: 20 };

function startSleep(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  started.push(child);
  return child.pid ?? 0;
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

  test('after a SIGKILL of the bench: child, grandchild, a child deaf to SIGTERM and the folder are gone', async () => {
    const script = fileURLToPath(new URL('./reaper-bench.ts', import.meta.url));
    const bench = spawn(process.execPath, ['--import', './src/base/typescript.mjs', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(bench);
    const [line] = await once(bench.stdout, 'data');
    const { folder, pids }: { folder: string; pids: number[] } = JSON.parse(String(line));
    expect(pids.map(runs)).toEqual([true, true, true, true]);
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

  test('a guard that was killed does not end the bench', async () => {
    const reaper = startReaper();
    process.kill(reaper.pid, 'SIGKILL');
    await vi.waitFor(() => expect(runs(reaper.pid)).toBe(false), gone);
    reaper.watch(process.pid, { signal: 'SIGTERM', group: false });
    await reaper.close();
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
    const script = fileURLToPath(new URL('../../src/base/reaper.mjs', import.meta.url));
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
