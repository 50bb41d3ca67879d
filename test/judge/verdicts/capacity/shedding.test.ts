import { expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { simulateSession } from '../../../support/capacity-session.ts';

/** What a second of load tries again at most, where connections are refused (measure/load/tries.ts). */
const MOST_TRIES = 1000;
const TAKEN = [40, 40, 60];

it('a service that refuses connections from some number on is known to a connection within ten rounds', () => {
  const random = createRandom('shedding');
  const sessions = Array.from({ length: 10 }, () =>
    simulateSession({
      range: { of: 'connections', from: 5, to: 200 },
      limit: 1,
      variants: ['variant'],
      mostRounds: 12,
      sliceS: 5,
      measure(arm, _round, load) {
        const taken = TAKEN[arm] ?? 0;
        const refused = Math.max(0, load - taken) / load;
        const most = MOST_TRIES / (MOST_TRIES + 90 * taken);
        return 100 * Math.min(refused, most) * Math.exp(0.07 * (random.next() - 0.5));
      },
    }),
  );
  for (const { judged, rounds } of sessions) {
    expect(rounds).toBeLessThan(10);
    expect(judged.changes.map(({ verdict }) => verdict)).toEqual(['higher']);
    judged.arms.forEach(({ interval }, arm) => {
      expect(interval?.low).toBeLessThanOrEqual((TAKEN[arm] ?? 0) + 1);
      expect(interval?.high).toBeGreaterThanOrEqual(TAKEN[arm] ?? 0);
    });
  }
});
