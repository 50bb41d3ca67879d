import { createGeneratorUse } from '../generator-use.ts';
import type { LoadResult } from '../load-generator.ts';

/** Time that runs in the turns of a load and stands still between them, and how busy this process was in it. */
export interface OwnClock {
  resume(): void;
  pause(): void;
  /** Calls back once this much more of its time has passed. */
  after(ms: number, run: () => void): void;
  /** All turns together, the one that is on included. */
  readonly ownMs: number;
  /** When the first turn began. */
  readonly startedAt: Date;
  readonly generator: LoadResult['generator'];
}

interface Alarm {
  readonly dueMs: number;
  readonly run: () => void;
  timer?: NodeJS.Timeout;
}

export function createOwnClock(): OwnClock {
  const use = createGeneratorUse();
  const alarms = new Set<Alarm>();
  let startedAt: Date | null = null;
  let beforeMs = 0;
  let sinceMs: number | null = null;
  const ownMs = (): number => beforeMs + (sinceMs === null ? 0 : performance.now() - sinceMs);
  const set = (alarm: Alarm): void => {
    alarm.timer = setTimeout(() => {
      alarms.delete(alarm);
      alarm.run();
    }, alarm.dueMs - ownMs());
  };
  return {
    resume() {
      startedAt ??= new Date();
      use.resume();
      sinceMs = performance.now();
      for (const alarm of alarms) set(alarm);
    },
    pause() {
      beforeMs = ownMs();
      sinceMs = null;
      use.pause();
      for (const { timer } of alarms) clearTimeout(timer);
    },
    after(ms, run) {
      const alarm = { dueMs: ownMs() + ms, run };
      alarms.add(alarm);
      if (sinceMs !== null) set(alarm);
    },
    get ownMs() {
      return ownMs();
    },
    get startedAt() {
      return startedAt ?? new Date();
    },
    get generator() {
      return use.result();
    },
  };
}
