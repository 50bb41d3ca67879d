import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { differsFromZero } from '../../../src/judge/stats/skewed-mean.ts';

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
