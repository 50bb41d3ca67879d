import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { tInterval } from '../../../src/judge/stats/interval.ts';
import { differsFromZero, skewedMeanBounds } from '../../../src/judge/stats/skewed-mean.ts';

const ALPHA = 0.002;
const SAMPLES = 20_000;

/** The share of samples of this many values in which the mean is said to be another than 0. */
function shareFound(count: number, draw: (random: () => number) => number, samples = SAMPLES): number {
  const { next } = createRandom(count);
  let found = 0;
  for (let sample = 0; sample < samples; sample++) {
    const values = Array.from({ length: count }, () => draw(next));
    if (differsFromZero(values, ALPHA)) found++;
  }
  return found / samples;
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

describe('whether a mean is another than 0', () => {
  it.each([2, 3, 5, 12, 25, 75])('is said of 0 as often as promised: %i values', (count) => {
    expect(shareFound(count, normal)).toBeLessThan(0.0035);
  });

  it('is said of 0 less often than by Student alone where values are skewed', () => {
    // Student's t alone: 0.014 of 25 values, 0.007 of 75.
    const skewed = (random: () => number): number => -Math.log(1 - random()) - 1;
    expect(shareFound(25, skewed)).toBeLessThan(0.0125);
    expect(shareFound(75, skewed)).toBeLessThan(0.0065);
  });

  it('is seen of rare large values, which Student takes for noise', () => {
    // One in five turns has a wait. Student's t alone finds 30 % of 41 turns, and 69 % of 56; both together 74 and 95 %.
    const rare = (random: () => number): number => (random() < 0.2 ? 20 * (0.5 + random()) : 0) + 0.3 * normal(random);
    expect(shareFound(41, rare, 2000)).toBeGreaterThan(0.6);
    expect(shareFound(56, rare, 2000)).toBeGreaterThan(0.9);
  });

  it('of a single value is not known', () => {
    expect(differsFromZero([5], ALPHA)).toBe(false);
    expect(differsFromZero([5, 5], ALPHA)).toBe(true);
    expect(differsFromZero([0, 0], ALPHA)).toBe(false);
  });
});

describe('bounds of a mean', () => {
  /** How often the upper bound at 5 % lies below the mean, and how often Student's does. */
  const missed = (count: number, draw: (random: () => number) => number, truth: number) => {
    const { next } = createRandom(count);
    let [own, student] = [0, 0];
    for (let sample = 0; sample < 4000; sample++) {
      const values = Array.from({ length: count }, () => draw(next));
      if ((skewedMeanBounds(values, 0.05)?.high ?? 0) < truth) own++;
      if ((tInterval(values, 0.1)?.high ?? 0) < truth) student++;
    }
    return { own: own / 4000, student: student / 4000 };
  };

  it('are missed as often as promised by values without skewness', () => {
    const { own } = missed(12, normal, 0);
    expect(own).toBeGreaterThan(0.03);
    expect(own).toBeLessThan(0.06);
  });

  it('are missed less often than Student’s by bursts', () => {
    // Every second round has failures, exponentially many.
    const bursts = (random: () => number): number => (random() < 0.5 ? -Math.log(1 - random()) : 0);
    const { own, student } = missed(12, bursts, 0.5);
    expect(student).toBeGreaterThan(0.11);
    expect(own).toBeLessThan(0.8 * student);
  });

  it('turn around with the values, and are the value of all alike', () => {
    const values = [0, 0, 0, 0.1, 0.5];
    const { low = 0, high = 0 } = skewedMeanBounds(values, 0.05) ?? {};
    expect(
      skewedMeanBounds(
        values.map((value) => -value),
        0.05,
      ),
    ).toEqual({ low: -high, high: -low });
    expect(skewedMeanBounds([0.25, 0.25, 0.25], 0.05)).toEqual({ low: 0.25, high: 0.25 });
    expect(skewedMeanBounds([1], 0.05)).toBeNull();
  });
});
