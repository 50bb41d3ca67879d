import { expect, it } from 'vitest';
import { roundsToRun } from '../../../src/measure/run/last-records.ts';

it('shards have every round of the plan once', () => {
  const shares = [1, 2, 3].map((index) => {
    const { firstRound, roundStep } = roundsToRun(null, { index, count: 3 });
    return [0, 1, 2].map((place) => firstRound + place * roundStep);
  });
  expect(shares).toEqual([
    [1, 4, 7],
    [2, 5, 8],
    [3, 6, 9],
  ]);
});
