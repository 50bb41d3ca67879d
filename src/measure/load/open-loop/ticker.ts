import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Calls back at given moments, far more exactly than timers do. */
export interface Ticker {
  /** True if another moment can be added now; there is room again when moments have passed. */
  readonly hasRoom: boolean;
  /** Adds a moment, as performance.now() has it, that is not before the last one. */
  add(atMs: number): void;
  stop(): Promise<void>;
}

/** This many moments are known ahead. */
const AHEAD = 1024;
const places = { ADDED: 0, READ: 1, POSTED: 2, NEVER: 3 } as const;

/**
 * Starts the thread that waits for the moments; `onTick` is called soon after each, once for several that are close. The
 * thread sleeps in between (test/bench/open-loop.ts shows how exact it is, and what CPU it takes).
 */
export async function startTicker(onTick: () => void): Promise<Ticker> {
  const control = new SharedArrayBuffer(Object.keys(places).length * Int32Array.BYTES_PER_ELEMENT);
  const due = new SharedArrayBuffer(AHEAD * Float64Array.BYTES_PER_ELEMENT);
  const worker = new Worker(new URL('./ticker.mjs', import.meta.url), {
    workerData: { control, due, places },
    execArgv: [],
  });
  worker.unref();
  const words = new Int32Array(control);
  const moments = new Float64Array(due);
  let added = 0;
  worker.on('message', () => {
    Atomics.store(words, places.POSTED, 0);
    onTick();
  });
  await once(worker, 'online');
  // Each thread counts performance.now() from its own start.
  const offsetMs = hrtimeMs() - performance.now();
  return {
    get hasRoom() {
      return added - Atomics.load(words, places.READ) < AHEAD;
    },
    add(atMs) {
      moments[added++ % AHEAD] = atMs + offsetMs;
      Atomics.store(words, places.ADDED, added);
      Atomics.notify(words, places.ADDED);
    },
    async stop() {
      await worker.terminate();
    },
  };
}

/** The clock of the system, which all threads share. */
function hrtimeMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
