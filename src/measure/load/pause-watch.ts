import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { LoadStream } from './load-generator.ts';

/**
 * Notices that this process was stopped and continued (Ctrl-Z, a virtual machine that was suspended). A process that is only
 * starved or busy is not: it waits for a CPU, or uses one, and the system accounts for both.
 */
export interface PauseWatch {
  /** Returns how long the process was stopped since the watch began, in ms. */
  end(): number;
}

const TICK_MS = 100;
/** Timers may be late, and the system's times lag behind a little. */
const LEAST_PAUSE_MS = 1000;

/** Times that a watch looks at, in ms. */
export interface PauseClock {
  nowMs(): number;
  /** Time in which this process had a CPU or waited for one; null where the system does not say. */
  accountedMs(): number | null;
}

const ownClock: PauseClock = { nowMs: () => performance.now(), accountedMs };

/** Watches from now on; no pause is seen where the system does not account for waiting. */
export function watchPauses({ nowMs, accountedMs }: PauseClock = ownClock): PauseWatch {
  let pausedMs = 0;
  let last = { atMs: nowMs(), accountedMs: accountedMs() };
  const look = (): void => {
    const now = { atMs: nowMs(), accountedMs: accountedMs() };
    const accounted = now.accountedMs === null || last.accountedMs === null ? null : now.accountedMs - last.accountedMs;
    const missingMs = accounted === null ? 0 : now.atMs - last.atMs - accounted - TICK_MS;
    if (missingMs > LEAST_PAUSE_MS) pausedMs += missingMs;
    last = now;
  };
  const timer = setInterval(look, TICK_MS);
  timer.unref();
  return {
    end() {
      clearInterval(timer);
      look();
      return Math.round(pausedMs);
    },
  };
}

/** Linux: nanoseconds of this process's main thread on a CPU, and in a queue for one. */
function accountedMs(): number | null {
  try {
    const [usedNs, waitedNs] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    // Kernels that do not account for it have zeros there.
    return !usedNs || waitedNs === undefined ? null : (usedNs + waitedNs) / 1e6;
  } catch {
    return null;
  }
}

/** The stream, with the time that this process was stopped in its turns. */
export function withPauses(stream: LoadStream, clock: PauseClock = ownClock): LoadStream {
  let sumMs = 0;
  return {
    async turn(turn, options) {
      const watch = watchPauses(clock);
      try {
        const result = await stream.turn(turn, options);
        const pausedMs = watch.end();
        sumMs += pausedMs;
        return pausedMs === 0 ? result : { ...result, pausedMs };
      } finally {
        watch.end();
      }
    },
    async close() {
      const result = await stream.close();
      return sumMs === 0 ? result : { ...result, generator: { ...result.generator, pausedMs: sumMs } };
    },
  };
}
