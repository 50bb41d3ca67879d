import { describe, expect, test } from 'vitest';
import { throughputAt } from '../../../src/judge/stats/usl.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { type FixtureCell, fixtureJournal } from '../journal-fixture.ts';

const connections = [1, 4, 8, 16, 32, 64];

/** The effect that makes the fixture's own curve one of the law, with a peak at sqrt(0.95 / 0.002) = 21.8 connections. */
const law = ({ connections: n }: FixtureCell): number =>
  Math.log(throughputAt({ lambda: 1, sigma: 0.05, kappa: 0.002 }, n) / Math.min(8, n));

describe('scalability', () => {
  test('gives the peak of each variant, of the control by both its arms', () => {
    const options = { variants: ['a', 'b'], control: 'a', connections, effect: law, requestsPerSecond: 200 };
    const { scalability } = summarize(fixtureJournal(options));
    expect(scalability.map(({ variant, refused }) => [variant, refused])).toEqual([
      ['a', null],
      ['b', null],
    ]);
    for (const { peak } of scalability) {
      expect(peak?.interval[0]).toBeLessThan(21.8);
      expect(peak?.interval[1]).toBeGreaterThan(21.8);
      expect(peak?.connections).toBeCloseTo(21.8, -0.5);
    }
  });

  test('says why there is none: here throughput levels off at 8 connections and stays', () => {
    const { scalability } = summarize(fixtureJournal({ variants: ['a', 'b'], control: 'a', connections, noise: 0.05 }));
    for (const { peak, refused } of scalability) {
      expect(peak).toBeNull();
      expect(refused).toMatch(/\S/);
    }
    expect(scalability).toHaveLength(2);
  });

  test('is not spoken of with fewer than six load levels', () => {
    expect(summarize(fixtureJournal({ connections: connections.slice(1), effect: law })).scalability).toEqual([]);
  });
});
