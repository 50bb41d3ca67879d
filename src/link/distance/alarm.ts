import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Calls back once at a moment. */
export interface Alarm {
  /** Sets it, as performance.now() has it; an earlier setting is forgotten. Infinite: not at all. */
  set(atMs: number): void;
}

/**
 * Starts the thread that waits. It sleeps in between, in Atomics.wait, which takes fractions of a millisecond; Linux wakes
 * it 0.05 to 0.1 ms late, which is much the same every time (proxy.ts allows for it).
 */
export async function startAlarm(onDue: () => void): Promise<Alarm> {
  const changes = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const due = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const words = new Int32Array(changes);
  const moment = new Float64Array(due);
  moment[0] = Number.POSITIVE_INFINITY;
  const worker = new Worker(new URL('./alarm.mjs', import.meta.url), { workerData: { changes, due }, execArgv: [] });
  worker.unref();
  worker.on('message', onDue);
  await once(worker, 'online');
  // Each thread counts performance.now() from its own start; the clock of the system they share.
  const [seconds, nanoseconds] = process.hrtime();
  const offsetMs = seconds * 1000 + nanoseconds / 1e6 - performance.now();
  return {
    set(atMs) {
      moment[0] = atMs + offsetMs;
      Atomics.add(words, 0, 1);
      Atomics.notify(words, 0);
    },
  };
}
