import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { chanceOfSoMany, oddValuesOf, pullOf } from '../../../src/judge/stats/odd-values.ts';
import { robustFit } from '../../../src/judge/stats/robust-fit.ts';
import { normal } from '../journal-fixture.ts';

describe('the exact test of odd values', () => {
  test('in one round is Fisher, one-sided', () => {
    // The lady tasting tea: 17 / 70 and 1 / 70 (Fisher, The design of experiments, 1935).
    expect(chanceOfSoMany([{ all: 8, odd: 4, own: 4, ownOdd: 3 }])).toBeCloseTo(17 / 70, 12);
    expect(chanceOfSoMany([{ all: 8, odd: 4, own: 4, ownOdd: 4 }])).toBeCloseTo(1 / 70, 12);
    // R: phyper(2, 4, 41, 15, lower.tail = FALSE)
    expect(chanceOfSoMany([{ all: 45, odd: 4, own: 15, ownOdd: 3 }])).toBeCloseTo(15_015 / 148_995, 12);
  });

  test('multiplies over rounds', () => {
    const own = { all: 3, odd: 1, own: 1, ownOdd: 1 };
    expect(chanceOfSoMany([own, own, own])).toBeCloseTo(1 / 27, 12);
    // Shares 1/3, 2/3 and 1/3: two or more of them, added up by hand.
    const strata = [own, { all: 3, odd: 2, own: 1, ownOdd: 1 }, { all: 3, odd: 1, own: 1, ownOdd: 0 }];
    expect(chanceOfSoMany(strata)).toBeCloseTo(11 / 27, 12);
    const without = { all: 3, odd: 0, own: 1, ownOdd: 0 };
    expect(chanceOfSoMany([own, without, own, without, own])).toBeCloseTo(1 / 27, 12);
  });

  test('of no odd value is certain', () => {
    expect(chanceOfSoMany([])).toBe(1);
    expect(chanceOfSoMany([{ all: 3, odd: 1, own: 1, ownOdd: 0 }])).toBeCloseTo(1, 12);
  });
});

describe('odd values of an arm', () => {
  const random = createRandom(7);
  const slow = [2, 7, 11];
  const table = Array.from({ length: 15 }, (_, round) =>
    [0, 0, 0.3].map((arm, column) => {
      const odd = column === 2 && slow.includes(round) ? Math.log(0.6) : 0;
      return round + arm + odd + 0.02 * normal(random);
    }),
  );
  const fit = robustFit(table);

  test('are counted, with how far each is off and the chance of so many', () => {
    const [low, ...others] = fit === null ? [] : oddValuesOf(fit, [2], 0.05);
    expect(others).toEqual([]);
    expect(low).toMatchObject({ of: 15, p: expect.closeTo(1 / 27, 12) });
    expect(low?.offs).toHaveLength(3);
    for (const off of low?.offs ?? []) expect(Math.abs(off - Math.log(0.6))).toBeLessThan(0.1);
    expect(fit && oddValuesOf(fit, [0, 1], 0.05)).toEqual([]);
    expect(fit && oddValuesOf(fit, [2], 0.8)).toEqual([]);
  });

  test('pull the mean by what they do not count for', () => {
    const pulled = fit?.pulledIn.filter(({ column }) => column === 2) ?? [];
    expect(pulled.map(({ row }) => row).filter((row) => slow.includes(row))).toEqual(slow);
    const pull = pullOf(fit?.pulledIn ?? [], [2], 15);
    expect(pull).toBeLessThan(-0.07);
    expect(pull).toBeGreaterThan((3 * Math.log(0.6)) / 15);
  });
});
