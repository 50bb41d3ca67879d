import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { createPace } from '../../../src/sample/bulk/progress.ts';
import { mayHelp, pauseMs } from '../../../src/sample/bulk/retry.ts';

describe('a repeat', () => {
  it('is made where it may help', () => {
    expect(([409, 429, 500, 503, 'error', 'timeout'] as const).filter((outcome) => !mayHelp(outcome))).toEqual([]);
    expect([400, 401, 404, 413].filter(mayHelp)).toEqual([]);
  });

  it('waits twice as long each time, within half of that', () => {
    const random = createRandom(1);
    for (const [attempts, middle] of [
      [1, 100],
      [2, 200],
      [4, 800],
    ] as const) {
      const pauses = Array.from({ length: 500 }, () => pauseMs(100, attempts, random));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(middle * 0.5);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(middle * 1.5);
      expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(middle * 0.9);
    }
  });
});

describe('the pace', () => {
  it('is that of the last five seconds', () => {
    const pace = createPace(0);
    expect(pace.at(500, 50)).toBe(100);
    for (let ms = 1000; ms <= 10_000; ms += 500) pace.at(ms, ms / 10);
    // From here on nothing more is finished.
    for (let ms = 10_500; ms < 15_000; ms += 500) pace.at(ms, 1000);
    expect(pace.at(15_000, 1000)).toBe(0);
  });
});
