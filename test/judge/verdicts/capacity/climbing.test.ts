import { expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { simulateSession } from '../../../support/capacity-session.ts';
import { normal } from '../../../support/queues.ts';

it.each([250, 500, 3000])(
  'a session climbs to the limit where a stall of %d ms on the way up was taken for it',
  (stallMs) => {
    const random = createRandom('stall');
    const { judged, rounds } = simulateSession({
      range: { of: 'rate', from: 20, to: 2000 },
      limit: 100,
      variants: ['variant'],
      mostRounds: 16,
      sliceS: 5,
      measure(_, __, load, seconds) {
        const stalls = seconds < 5 && load > 74 && load < 75;
        return stalls ? stallMs : 100 * (load / 600) ** 4 * Math.exp(0.05 * normal(random));
      },
    });
    expect(rounds).toBeLessThan(16);
    for (const { outcome, interval } of judged.arms) {
      expect(outcome).toBe('supports');
      expect(interval?.low).toBeLessThanOrEqual(600);
      expect(interval?.high).toBeGreaterThanOrEqual(600);
    }
  },
);
