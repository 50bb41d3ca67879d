import { expect, test } from 'vitest';
import { createRandom, seedOf } from '../../src/base/random.ts';
import { interval } from '../../src/stats/interval.ts';
import { looks } from '../../src/stats/looks.ts';
import { normal } from '../analysis/journal-fixture.ts';

/** Whether a comparison with no effect ever excludes 0, looked at as a run does. */
function raisesAlarm(seed: number): boolean {
  const random = createRandom(seedOf('false alarms', seed));
  const values = Array.from({ length: 40 }, () => 0.05 * normal(random));
  return looks.some((n) => {
    const range = interval(values.slice(0, n));
    return range !== null && (range.low > 0 || range.high < 0);
  });
}

test('of sessions without an effect about 5 % ever exclude 0, over all looks together', () => {
  const sessions = 500;
  const alarms = Array.from({ length: sessions }, (_, seed) => raisesAlarm(seed)).filter(Boolean).length;
  // 5 % +- 3 standard errors of 1 %; 20,000 sessions gave 5.05 %.
  expect(alarms / sessions).toBeGreaterThan(0.02);
  expect(alarms / sessions).toBeLessThan(0.08);
});
