// Answers after WORK thousand steps of its thread and BASE_MS on a timer; every EVERY-th answer waits WAIT_MS longer.
// BASE_MS is half a millisecond more or less by chance: timers of whole milliseconds bring connections into step, for seconds or for
// minutes, and its rate alone, without a wait, then wandered between 859 and 925 a second (bare sockets, 5 ms, 5 connections).
import { at, randomFrom, serve, setting, work } from './bare.mjs';

const [steps, baseMs] = [setting('WORK', 0), setting('BASE_MS', 0)];
const [every, waitMs] = [setting('EVERY', 0), setting('WAIT_MS', 0)];
const random = randomFrom(process.pid);
serve((number, answer) => {
  if (steps > 0) work(steps);
  const heldMs = (baseMs > 0 ? baseMs - 0.5 + random() : 0) + (every > 0 && number % every === 0 ? waitMs : 0);
  if (heldMs > 0) at(performance.now() + heldMs, answer);
  else answer();
});
