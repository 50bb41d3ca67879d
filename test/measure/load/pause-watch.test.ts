import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LoadResult, LoadStream, TurnResult } from '../../../src/measure/load/load-generator.ts';
import { watchPauses, withPauses } from '../../../src/measure/load/pause-watch.ts';

/** A process of which the system accounts for all time but that in which it is stopped. */
function processClock() {
  const times = { nowMs: 0, accountedMs: 0 };
  return {
    clock: { nowMs: () => times.nowMs, accountedMs: () => times.accountedMs },
    busy(ms: number) {
      times.nowMs += ms;
      times.accountedMs += ms;
    },
    stopped(ms: number) {
      times.nowMs += ms;
    },
  };
}

describe('a pause', () => {
  it('is time in which a process neither had a CPU nor waited for one', () => {
    const { clock, busy, stopped } = processClock();
    const starved = watchPauses(clock);
    busy(20_000);
    expect(starved.end()).toBe(0);
    const watch = watchPauses(clock);
    busy(3000);
    stopped(20_100);
    expect(watch.end()).toBe(20_000);
  });

  it('is not seen where the system does not say how long a process waits', () => {
    let nowMs = 0;
    const watch = watchPauses({ nowMs: () => nowMs, accountedMs: () => null });
    nowMs = 60_000;
    expect(watch.end()).toBe(0);
  });

  it('belongs to its turn and to the result of its stream', async () => {
    const { clock, stopped } = processClock();
    const pauses = [0, 5100, 0];
    const inner: LoadStream = {
      async turn() {
        stopped(pauses.shift() ?? 0);
        return { ok: 1 } as TurnResult;
      },
      close: async () => ({ generator: { eventLoopUtilisation: 0.5, cpuMs: 1 } }) as LoadResult,
    };
    const stream = withPauses(inner, clock);
    const turn = { durationMs: 100, fromMs: 0, toMs: 100 };
    const turns = [await stream.turn(turn), await stream.turn(turn), await stream.turn(turn)];
    expect(turns).toEqual([{ ok: 1 }, { ok: 1, pausedMs: 5000 }, { ok: 1 }]);
    expect((await stream.close()).generator.pausedMs).toBe(5000);
    expect((await withPauses(inner, clock).close()).generator.pausedMs).toBeUndefined();
  });

  it.skipIf(!existsSync('/proc/self/schedstat'))('of a real process is seen, and work is none', async () => {
    const module = new URL('../../../src/measure/load/pause-watch.ts', import.meta.url);
    const hook = new URL('../../../src/base/typescript.mjs', import.meta.url);
    const code = `const { watchPauses } = await import('${module}');
      const watched = () => { const watch = watchPauses(); return () => console.log('paused ' + watch.end()); };
      let end = watched();
      const until = performance.now() + 1500;
      while (performance.now() < until);
      end();
      end = watched();
      process.stdin.once('data', () => { end(); process.exit(); });
      console.log('waits');`;
    const child = spawn(process.execPath, ['--import', hook.href, '--input-type=module', '--eval', code]);
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    await expect.poll(() => output, { timeout: 60_000 }).toContain('waits');
    child.kill('SIGSTOP');
    await sleep(2500);
    child.kill('SIGCONT');
    child.stdin.write('end\n');
    await once(child, 'close');
    const [busyMs = Number.NaN, stoppedMs = Number.NaN] = [...output.matchAll(/paused (\d+)/g)].map(([, ms]) =>
      Number(ms),
    );
    expect(busyMs).toBe(0);
    expect(stoppedMs).toBeGreaterThan(1500);
  });
});
