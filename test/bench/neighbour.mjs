// A neighbour that wants CPU time and memory in bursts: one or two threads for 1 to 40 s, then nothing for 1 to 20 s. The
// same seed makes the same bursts.
//
//   node test/bench/neighbour.mjs SECONDS SEED
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Larger than the caches of a core. */
const BYTES = 32 * 2 ** 20;

function burn(forMs) {
  const memory = new Uint32Array(BYTES / 4);
  const end = performance.now() + forMs;
  let at = 1;
  while (performance.now() < end) {
    for (let i = 0; i < 100_000; i++) {
      at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
      memory[at % memory.length] += i;
    }
  }
}

async function bursts(seconds, seed) {
  let state = seed >>> 0;
  /** From 0 to 1: Numerical Recipes' generator, of which the first numbers of neighbouring seeds are alike. */
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < 10; i++) draw();
  const end = performance.now() + 1000 * seconds;
  const left = () => Math.max(0, end - performance.now());
  while (left() > 0) {
    const threads = draw() < 0.5 ? 1 : 2;
    const burstMs = Math.min(left(), 1000 * 40 ** draw());
    const ends = Array.from({ length: threads }, () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: burstMs });
      return new Promise((resolve) => worker.once('exit', resolve));
    });
    await Promise.all(ends);
    await sleep(Math.min(left(), 1000 + 19_000 * draw()));
  }
}

if (isMainThread) await bursts(Number(process.argv[2] ?? 600), Number(process.argv[3] ?? 1));
else burn(workerData);
