import { expect, it } from 'vitest';
import { createServerClock } from '../../../../src/measure/probe/meter/server-clock.ts';

const SETTLE_MS = 10_000;

/** Reads a server's time each second, with the step in its fourth second. */
function clockAfter({ stepMs = 0, answerMs = 10, driftMsPerS = 0 }) {
  const clock = createServerClock(SETTLE_MS);
  for (let second = 0; second < 6; second++) {
    const askedMs = 1000 * second;
    const serverMs = 5e12 + askedMs + second * driftMsPerS + (second > 3 ? stepMs : 0);
    clock.see(serverMs + answerMs / 2, askedMs, askedMs + answerMs);
  }
  return clock;
}

it('a clock that runs on was not set, also where answers are slow or it runs a little fast', () => {
  for (const steady of [{}, { answerMs: 900 }, { driftMsPerS: 20 }, { stepMs: 100 }, { stepMs: -100 }])
    expect(clockAfter(steady).wasSet(0)).toBe(false);
});

it('after a step back, sessions report late for as long as the step was', () => {
  const clock = clockAfter({ stepMs: -60_000 });
  expect(clock.wasSet(4000 + 60_000 + SETTLE_MS)).toBe(true);
  expect(clock.wasSet(4000 + 60_000 + SETTLE_MS + 100)).toBe(false);
});

it('after a step forward, sessions report early until all have reported', () => {
  const clock = clockAfter({ stepMs: 60_000 });
  expect(clock.wasSet(4000 + SETTLE_MS)).toBe(true);
  expect(clock.wasSet(4000 + SETTLE_MS + 100)).toBe(false);
});
