import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * The clock of the system, which all threads share. Each counts performance.now() from its own start: with an offset that is
 * a little wrong, an alarm would go off too early again and again.
 */
export function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Calls back once at a moment. */
export interface Alarm {
  /** Sets it, as `nowMs` counts; an earlier setting is forgotten. */
  set(atMs: number): void;
}

/**
 * Starts the thread that waits. It sleeps in between, in Atomics.wait, which takes fractions of a millisecond: the median of
 * waits of 0.25 ms ends 0.01 ms late (0.05 ms of CPU each), that of setTimeout 0.9 ms; a loop of setImmediate is as exact,
 * and takes a whole CPU for as long as anything is under way.
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
  return {
    set(atMs) {
      moment[0] = atMs;
      Atomics.add(words, 0, 1);
      Atomics.notify(words, 0);
    },
  };
}
