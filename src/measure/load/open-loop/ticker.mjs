// Wakes its parent at given moments, to some hundredths of a millisecond: timers of an event loop are whole milliseconds,
// and a loop that spins until then takes a CPU from the service. It is JavaScript, so that the thread need not load TypeScript.
import { parentPort, workerData } from 'node:worker_threads';

const control = new Int32Array(workerData.control);
const due = new Float64Array(workerData.due);
const { ADDED, READ, POSTED, NEVER } = workerData.places;

function nowMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

for (let read = 0; ; ) {
  const added = Atomics.load(control, ADDED);
  if (read === added) {
    Atomics.wait(control, ADDED, added);
    continue;
  }
  const leftMs = due[read % due.length] - nowMs();
  if (leftMs > 0) Atomics.wait(control, NEVER, 0, leftMs);
  Atomics.store(control, READ, ++read);
  // Several may be due by the time that the parent has heard of the first.
  if (Atomics.exchange(control, POSTED, 1) === 0) parentPort.postMessage(null);
}
