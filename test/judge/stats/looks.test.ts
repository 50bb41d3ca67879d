import { describe, expect, test } from 'vitest';
import { nominalLevels } from '../../../src/judge/stats/error-spending.ts';
import type { Evidence } from '../../../src/judge/stats/interval.ts';
import { levelsOf, looks, type RunProgress, sameLevel } from '../../../src/judge/stats/looks.ts';
import { roundsNeeded } from '../../../src/judge/stats/rounds-needed.ts';

describe('spending an error', () => {
  const spendings = (spent: readonly number[]) => spent.map((one, i) => ({ rounds: 2 * (i + 1), spent: one }));

  // The two-sided boundaries of Lan & DeMets' two functions at five equal looks, as ldbounds 2.0 and textbooks have them.
  test.each([
    [
      'as O’Brien and Fleming',
      [1.0777425e-6, 0.00078722577, 0.0068278231, 0.016807454, 0.025576419],
      [4.8769, 3.3569, 2.6803, 2.2898, 2.031],
    ],
    [
      'as Pocock',
      [0.014769726, 0.011387132, 0.0092687952, 0.0078163329, 0.0067580137],
      [2.438, 2.4268, 2.4101, 2.3966, 2.3859],
    ],
  ])('%s', (_, spent, boundaries) => {
    const bell = (z: number): number => {
      // P(|Z| > z) by Simpson's rule over the bell from z to 9.
      const [steps, width] = [2000, (9 - z) / 2000];
      let sum = 0;
      for (let i = 0; i <= steps; i++) {
        const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
        sum += weight * Math.exp(-0.5 * (z + i * width) ** 2);
      }
      return (2 * sum * width) / 3 / Math.sqrt(2 * Math.PI);
    };
    [...nominalLevels(spendings(spent), 'both')].forEach((level, i) => {
      expect(level / bell(boundaries[i] ?? 0)).toBeCloseTo(1, 2);
    });
  });

  test('one look spends it all at once; a look that spends nothing is never beyond its boundary', () => {
    expect([...nominalLevels([{ rounds: 6, spent: 0.05 }], 'both')][0]).toBeCloseTo(0.05, 5);
    expect([...nominalLevels([{ rounds: 6, spent: 0.05 }], 'upper')][0]).toBeCloseTo(0.05, 5);
    expect([...nominalLevels(spendings([0, 0.05]), 'both')][0]).toBeLessThan(1e-10);
    expect([...nominalLevels(spendings([0, 0.05]), 'both')][1]).toBeCloseTo(0.05, 4);
  });
});

describe('looks', () => {
  const difference = (course: RunProgress, comparisons = 1): number => levelsOf(course, comparisons)?.difference ?? 0;

  test('there are none under 4 rounds', () => {
    for (const rounds of [0, 1, 2, 3]) expect(levelsOf({ rounds, ends: [] }, 1)).toBeNull();
    expect(looks[0]).toBe(4);
  });

  test('after the last the last one counts', () => {
    expect(levelsOf({ rounds: 100, ends: [] }, 1)).toEqual(levelsOf({ rounds: 40, ends: [] }, 1));
  });

  test('all looks together cannot spend more than 5 %, and an end leaves little of it', () => {
    for (const rounds of [4, 6, 17, 40]) {
      const level = difference({ rounds, ends: [rounds] });
      expect(level).toBeGreaterThan(difference({ rounds, ends: [] }));
      expect(level).toBeLessThan(0.05);
    }
    // At the least round there was no look before: a share of 1 - e^(-1.5/8) is its own, and of the rest 0.8; 19 of 20 parts of 5 %.
    expect(difference({ rounds: 4, ends: [4] })).toBeCloseTo(0.0475 * (1 - 0.2 * Math.exp(-1.5 / 8)), 5);
  });

  test('a family shares it', () => {
    const alone = difference({ rounds: 4, ends: [] });
    expect(difference({ rounds: 4, ends: [] }, 9) / alone).toBeCloseTo((1 - 0.9525 ** (1 / 9)) / 0.0475, 3);
    expect(levelsOf({ rounds: 9, ends: [] }, 9)?.own).toBe(levelsOf({ rounds: 9, ends: [] }, 1)?.own);
  });

  test('a run that is extended has the rest: less than one that went on, more than nothing', () => {
    const through = difference({ rounds: 12, ends: [12] }, 9);
    const extended = difference({ rounds: 12, ends: [6, 12] }, 9);
    expect(extended).toBeLessThan(through / 2);
    expect(extended).toBeGreaterThan(through / 20);
    expect(difference({ rounds: 12, ends: [6] })).toBeLessThan(difference({ rounds: 12, ends: [] }));
    // What it was before it went on is what it was told then.
    expect(difference({ rounds: 6, ends: [6, 6] })).toBe(difference({ rounds: 6, ends: [6] }));
    expect(difference({ rounds: 6, ends: [2, 6] })).toBe(difference({ rounds: 6, ends: [6] }));
  });
});

describe('the error of same', () => {
  const df = 100;
  const level = (rounds: number, margins: number, comparisons = 1, ends: readonly number[] = []): number =>
    sameLevel({ rounds, ends }, comparisons, { margins, df }) ?? 0;

  test('is spent where the interval may fit into the margin, and later where many have to fit', () => {
    expect(level(6, 3.5)).toBeGreaterThan(5 * level(6, 1.4));
    expect(level(6, 3.5)).toBeGreaterThan(2 * level(6, 3.5, 100));
    // Noise that is badly known counts for less than it seems.
    expect(level(6, 2.5)).toBeGreaterThan(sameLevel({ rounds: 6, ends: [] }, 1, { margins: 2.5, df: 5 }) ?? 1);
    expect(sameLevel({ rounds: 3, ends: [] }, 1, { margins: 3.5, df })).toBeNull();
    expect(sameLevel({ rounds: 6, ends: [], once: true }, 1, { margins: 1.4, df })).toBe(0.05);
  });

  test('is not spent all at once where there is no noise: other comparisons may need more rounds', () => {
    for (const rounds of [5, 9, 22, 40]) expect(level(rounds, Number.POSITIVE_INFINITY)).toBeGreaterThan(1e-4);
  });

  test('is up to 5 %, and an end that the results have no say in leaves little of it', () => {
    for (const margins of [0, 2, 3.5, 30]) {
      expect(level(8, margins, 1, [8])).toBeGreaterThan(level(8, margins));
      expect(level(8, margins, 1, [8])).toBeLessThan(0.05);
      expect(level(12, margins, 1, [8])).toBeLessThan(0.05);
    }
  });
});

describe('rounds needed', () => {
  /** Four rounds with a spread of sd around a centre, and noise that is known well. */
  const around = (centre: number, sd: number): Evidence => ({
    ratios: [-1, 1, -1, 1].map((sign) => centre + sign * sd),
    weights: [1, 1, 1, 1],
    spread: { variance: sd ** 2, df: 12 },
    course: { rounds: 4, ends: [] },
    comparisons: 1,
  });

  test('fewer for a large effect than for a small one, and always a later look', () => {
    const [large, small] = [roundsNeeded(around(0.06, 0.04), 0), roundsNeeded(around(0.03, 0.04), 0)];
    expect(looks).toContain(large);
    expect(looks).toContain(small);
    expect(large).toBeLessThan(small ?? 0);
    expect(roundsNeeded(around(-0.03, 0.04), 0)).toBe(small);
  });

  test('no effect settles as the same within the margin', () => {
    expect(roundsNeeded(around(0, 0.04), 0.0488)).toBeLessThan(20);
    expect(roundsNeeded(around(0, 0.04), 0)).toBeNull();
  });

  test('is unknown for noise that the last look would not settle', () => {
    expect(roundsNeeded(around(0.01, 0.2), 0.05)).toBeNull();
  });
});
