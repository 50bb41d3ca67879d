import { describe, expect, test } from 'vitest';
import { alphaFor, looks } from '../../src/stats/looks.ts';
import { roundsNeeded } from '../../src/stats/rounds-needed.ts';

describe('looks', () => {
  test('are those of the calibrated schedule', () => {
    expect(looks).toEqual([4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 32, 40]);
    expect(looks.map(alphaFor)).toEqual([
      0.0044, 0.0049, 0.0054, 0.0062, 0.007, 0.0076, 0.0085, 0.0093, 0.0103, 0.0112, 0.0125, 0.0139,
    ]);
  });

  test('between two looks the next one is spent, and after the last the last', () => {
    expect(alphaFor(7)).toBe(0.0062);
    expect(alphaFor(9)).toBe(0.007);
    expect(alphaFor(33)).toBe(0.0139);
    expect(alphaFor(100)).toBe(0.0139);
  });

  test('there is none under 4 rounds', () => {
    for (const n of [0, 1, 2, 3]) expect(alphaFor(n)).toBeNull();
  });
});

describe('rounds needed', () => {
  const around = (centre: number, spread: number): number[] => [-1, 1, -1, 1].map((sign) => centre + sign * spread);

  test('fewer for a large effect than for a small one, and always a later look', () => {
    // sd = 0.0231; at 10 rounds the half-width is 0.0258, at 8 0.0308, at 5 0.0576.
    expect(roundsNeeded(around(0.06, 0.02), 0.05)).toBe(5);
    expect(roundsNeeded(around(0.028, 0.02), 0.0)).toBe(10);
    expect(roundsNeeded(around(-0.028, 0.02), 0.0)).toBe(10);
    expect(looks).toContain(roundsNeeded(around(0.02, 0.02), 0));
  });

  test('no effect settles as the same within the margin', () => {
    expect(roundsNeeded(around(0, 0.02), 0.0488)).toBe(6);
    expect(roundsNeeded(around(0, 0.02), 0)).toBeNull();
  });

  test('is unknown for one round and for noise that 40 rounds would not settle', () => {
    expect(roundsNeeded([0.1], 0.05)).toBeNull();
    expect(roundsNeeded(around(0.01, 0.2), 0.05)).toBeNull();
  });
});
