/** Pauses before repeats. Their time is that of the load: it stands still while the load does. */
export interface Backoffs {
  after(pauseMs: number, run: () => void): void;
  pause(): void;
  resume(): void;
  /** Forgets all of them. */
  clear(): void;
}

interface Backoff {
  leftMs: number;
  sinceMs: number;
  timer: NodeJS.Timeout | undefined;
  readonly run: () => void;
}

export function createBackoffs(): Backoffs {
  const all = new Set<Backoff>();
  const start = (backoff: Backoff): void => {
    backoff.sinceMs = performance.now();
    backoff.timer = setTimeout(() => {
      all.delete(backoff);
      backoff.run();
    }, backoff.leftMs);
  };
  let paused = true;
  return {
    after(pauseMs, run) {
      const backoff = { leftMs: pauseMs, sinceMs: 0, timer: undefined, run };
      all.add(backoff);
      if (!paused) start(backoff);
    },
    pause() {
      if (paused) return;
      paused = true;
      const nowMs = performance.now();
      for (const backoff of all) {
        clearTimeout(backoff.timer);
        backoff.leftMs = Math.max(0, backoff.leftMs - (nowMs - backoff.sinceMs));
      }
    },
    resume() {
      if (!paused) return;
      paused = false;
      for (const backoff of all) start(backoff);
    },
    clear() {
      for (const { timer } of all) clearTimeout(timer);
      all.clear();
    },
  };
}
