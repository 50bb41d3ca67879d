// Wakes its parent at a moment that may change, to some hundredths of a millisecond: timers of an event loop are whole
// milliseconds. It is JavaScript, so that the thread need not load TypeScript.
import { parentPort, workerData } from 'node:worker_threads';

const changes = new Int32Array(workerData.changes);
const due = new Float64Array(workerData.due);

function nowMs() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

for (let told = -1; ; ) {
  const change = Atomics.load(changes, 0);
  const leftMs = change === told ? Number.POSITIVE_INFINITY : due[0] - nowMs();
  // Returns at once where the moment has changed since, and when it changes.
  if (leftMs > 0) Atomics.wait(changes, 0, change, leftMs);
  else {
    told = change;
    parentPort.postMessage(null);
  }
}
