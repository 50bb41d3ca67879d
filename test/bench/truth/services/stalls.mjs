// Answers after BASE_MS on a timer. At random times, GAP_MS after the last one on average, all answers that are due are held, for
// STALL_MS on average; both are exponential.
import { setTimeout as sleep } from 'node:timers/promises';
import { at, serve, setting } from './bare.mjs';

const [baseMs, gapMs, stallMs] = [setting('BASE_MS', 5), setting('GAP_MS', 0), setting('STALL_MS', 0)];
const exponential = (meanMs) => -meanMs * Math.log(1 - Math.random());
let held = null;
serve((_, answer) => at(performance.now() + baseMs, () => (held === null ? answer() : held.push(answer))));

async function stall() {
  for (;;) {
    await sleep(exponential(gapMs));
    held = [];
    await sleep(exponential(stallMs));
    const due = held;
    held = null;
    for (const answer of due) answer();
  }
}
if (gapMs > 0) void stall();
