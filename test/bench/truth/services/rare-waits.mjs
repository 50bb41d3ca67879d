// Answers after WORK thousand steps of its thread and BASE_MS on a timer; every EVERY-th answer waits WAIT_MS longer.
import { at, serve, setting, work } from './bare.mjs';

const [steps, baseMs] = [setting('WORK', 0), setting('BASE_MS', 0)];
const [every, waitMs] = [setting('EVERY', 0), setting('WAIT_MS', 0)];
serve((number, answer) => {
  if (steps > 0) work(steps);
  const heldMs = baseMs + (every > 0 && number % every === 0 ? waitMs : 0);
  if (heldMs > 0) at(performance.now() + heldMs, answer);
  else answer();
});
