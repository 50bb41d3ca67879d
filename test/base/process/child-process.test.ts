import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type SpawnOptions, spawnWatched, type WatchedProcess } from '../../../src/base/process/child-process.ts';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { isRunning, readProcess } from '../../../src/base/process/reaper-processes.mjs';
import { needs } from '../../support/needs.ts';

const superuser = await needs('root');

let reaper: Reaper;
beforeAll(() => {
  reaper = startReaper();
});
afterAll(() => reaper.close());

const start = (command: SpawnOptions['command'], options: Partial<SpawnOptions> = {}): Promise<WatchedProcess> =>
  spawnWatched({ command, reaper, ...options });
const runs = (pid: number): boolean => isRunning({ pid, group: false });
const firstLine = (child: WatchedProcess): Promise<string> =>
  vi.waitFor(() => child.tail()[0] ?? Promise.reject(new Error('no output yet')), { timeout: 120_000, interval: 5 });

describe('spawnWatched', () => {
  test('starts a program as the leader of a group of its own, and tells how it ended', async () => {
    const child = await start(['node', '-e', 'setTimeout(() => process.exit(7), 100)']);
    expect(readProcess(child.pid)?.group).toBe(child.pid);
    expect(await child.exited).toEqual({ code: 7, signal: null });
  });

  test('keeps the last lines of both streams, also of the last moment', async () => {
    const child = await start('for i in 1 2 3 4 5; do echo line $i; done; echo oops >&2; exit 1', { tailLines: 3 });
    await child.exited;
    expect(child.tail()).toHaveLength(3);
    expect(child.tail()).toContain('oops');
    expect(child.tail()).toContain('line 5');
  });

  test('has the last lines without the colours of a terminal', async () => {
    const child = await start("printf '\\033[32minfo\\033[39m: up\\n\\033[31merror'");
    await child.exited;
    expect(child.tail()).toEqual(['info: up', 'error']);
  });

  test('writes all to a log file, and still has a tail', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-child-'));
    const logFile = join(folder, 'log');
    const child = await start('seq 1 100; echo oops >&2', { logFile, tailLines: 2 });
    await child.exited;
    expect(child.tail()).toEqual(['100', 'oops']);
    expect(readFileSync(logFile, 'utf8').split('\n')).toHaveLength(102);
    rmSync(folder, { recursive: true });
  });

  test('gives the environment and the folder as asked', async () => {
    const child = await start('echo $COLOUR $(pwd)', { env: { COLOUR: 'red', PATH: process.env.PATH }, cwd: '/usr' });
    await child.exited;
    expect(child.tail()).toEqual(['red /usr']);
  });

  test('runs as another user', superuser.orSkip, async () => {
    const child = await start('echo $(id -u) $(id -g) $(id -G)', { uid: 65534, gid: 65534 });
    await child.exited;
    expect(child.tail()).toEqual(['65534 65534 65534']);
  });

  test('opens a channel for messages', async () => {
    const echo = 'process.on("message", (m) => { process.send({ got: m }); process.disconnect(); })';
    const child = await start(['node', '-e', echo], { ipc: true });
    child.child.send('hello');
    expect((await once(child.child, 'message'))[0]).toEqual({ got: 'hello' });
    await child.exited;
  });

  test('says what is wrong with a child that cannot be started', async () => {
    const noProgram = await start(['no-such-program']).catch((error: unknown) => error);
    expect(noProgram).toMatchObject({
      message: 'cannot start no-such-program: no such program',
      cause: { code: 'ENOENT' },
    });
    await expect(start(['true'], { cwd: '/no/such' })).rejects.toThrow('its folder /no/such does not exist');
    await expect(start(['/etc/passwd'])).rejects.toThrow('cannot start /etc/passwd: permission denied');
  });
});

describe('stop', () => {
  test('ends the child and its children; later calls get the same answer', async () => {
    const child = await start('sleep 600 & echo $!; wait');
    const grandchild = Number(await firstLine(child));
    const [first, second] = await Promise.all([child.stop(), child.stop()]);
    expect(first).toEqual({ code: null, signal: 'SIGTERM', killed: false });
    expect(second).toBe(first);
    expect(await child.stop()).toBe(first);
    expect([runs(child.pid), runs(grandchild)]).toEqual([false, false]);
  });

  test('waits for a child that ends in order', async () => {
    const child = await start(`trap 'sleep 0.2; echo closed; exit 0' TERM; echo ready; while :; do sleep 0.05; done`);
    await firstLine(child);
    expect(await child.stop({ graceMs: 60_000 })).toEqual({ code: 0, signal: null, killed: false });
    expect(child.tail()).toContain('closed');
  });

  test('kills after the grace what does not listen, be it only a grandchild', async () => {
    const killedAfterMs = async (): Promise<number> => {
      const child = await start(`sh -c "trap '' TERM; echo \\$\\$; while :; do sleep 0.05; done" & wait`);
      const grandchild = Number(await firstLine(child));
      const before = performance.now();
      expect(await child.stop({ graceMs: 200 })).toMatchObject({ killed: true });
      const tookMs = performance.now() - before;
      expect(runs(grandchild)).toBe(false);
      expect(tookMs).toBeGreaterThan(190);
      return tookMs;
    };
    // And not the five seconds that it waits where nothing is said; a machine at a standstill may wait as long now and then.
    await expect.poll(killedAfterMs).toBeLessThan(4900);
  });

  test('sends the signal that the child was started with, or the one asked for', async () => {
    const child = await start(['sleep', '600'], { stopSignal: 'SIGINT' });
    expect(await child.stop()).toEqual({ code: null, signal: 'SIGINT', killed: false });
    const other = await start(['sleep', '600'], { stopSignal: 'SIGINT' });
    expect(await other.stop({ signal: 'SIGQUIT' })).toEqual({ code: null, signal: 'SIGQUIT', killed: false });
  });

  test('ends what a child that has ended by itself has left behind', async () => {
    const child = await start('sleep 600 >/dev/null 2>&1 & echo $!');
    const grandchild = Number(await firstLine(child));
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(runs(grandchild)).toBe(true);
    await child.stop();
    expect(runs(grandchild)).toBe(false);
  });

  test('of a child that has ended is its exit', async () => {
    const child = await start(['true']);
    const exit = await child.exited;
    expect(await child.stop()).toEqual({ ...exit, killed: false });
  });
});
