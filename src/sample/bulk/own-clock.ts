import { createGeneratorUse } from '../../measure/load/generator-use.ts';
import type { LoadResult } from '../../measure/load/load-generator.ts';

/** Time that runs in the turns of a load and stands still between them, and how busy this process was in it. */
export interface OwnClock {
  resume(): void;
  /** Returns how long the turn was, in milliseconds. */
  pause(): number;
  /** All turns together, the one that is on included. */
  readonly ownMs: number;
  /** When the first turn began. */
  readonly startedAt: Date;
  readonly generator: LoadResult['generator'];
}

export function createOwnClock(): OwnClock {
  const use = createGeneratorUse();
  let startedAt: Date | null = null;
  let beforeMs = 0;
  let turnMs = 0;
  let sinceMs: number | null = null;
  const runningMs = (): number => (sinceMs === null ? 0 : performance.now() - sinceMs);
  return {
    resume() {
      startedAt ??= new Date();
      use.resume();
      sinceMs = performance.now();
    },
    pause() {
      if (sinceMs === null) return turnMs;
      turnMs = runningMs();
      use.pause();
      sinceMs = null;
      beforeMs += turnMs;
      return turnMs;
    },
    get ownMs() {
      return beforeMs + runningMs();
    },
    get startedAt() {
      return startedAt ?? new Date();
    },
    get generator() {
      return use.result();
    },
  };
}
