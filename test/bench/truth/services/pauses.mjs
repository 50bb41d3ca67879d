// Answers after WORK thousand steps of its thread. After every EVERY-th answer the whole process stops for PAUSE_MS, as in a
// major garbage collection.
import { serve, setting, work } from './bare.mjs';

const [steps, every, pauseMs] = [setting('WORK', 0), setting('EVERY', 0), setting('PAUSE_MS', 0)];
serve((number, answer) => {
  work(steps);
  answer();
  if (every === 0 || number % every !== 0) return;
  const endMs = performance.now() + pauseMs;
  while (performance.now() < endMs);
});
