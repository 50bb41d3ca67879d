// Answers after BASE_MS on a timer under a shared lock. Every EVERY-th request takes the lock for itself: it waits until the
// others are through, holds it for HOLD_MS, and whatever comes meanwhile waits for it.
import { at, serve, setting } from './bare.mjs';

const [baseMs, every, holdMs] = [setting('BASE_MS', 0), setting('EVERY', 0), setting('HOLD_MS', 0)];
const waiting = [];
let shared = 0;
let isHeld = false;

function grant() {
  while (waiting.length > 0 && !isHeld) {
    const { isExclusive, answer } = waiting[0];
    if (isExclusive && shared > 0) return;
    waiting.shift();
    if (isExclusive) isHeld = true;
    else shared++;
    at(performance.now() + (isExclusive ? holdMs : baseMs), () => {
      if (isExclusive) isHeld = false;
      else shared--;
      answer();
      grant();
    });
  }
}
serve((number, answer) => {
  waiting.push({ isExclusive: every > 0 && number % every === 0, answer });
  grant();
});
