import { formatShare } from '../../../base/units.ts';
import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';

/** The share of busy connections: a lock less could win a third of a transaction's time. The healthy service has 0 to 3 %. */
const LEAST_SHARE = 0.3;
/** With less than one connection busy on average there is nobody to wait for. */
const LEAST_BUSY = 1;

/** Connections that are busy with waiting for another transaction's lock. */
export const lockWaits: CrossCheck = {
  name: 'lock-waits',
  symptomIn({ values, detail }) {
    const share = probeValue(values, 'lockWaitShare') ?? 0;
    const busy = probeValue(values, 'busyConnections') ?? 0;
    if (share < LEAST_SHARE || busy < LEAST_BUSY) return null;
    const events = [...detail.waits]
      .filter(([event]) => event.startsWith('Lock:'))
      .sort(([, a], [, b]) => b - a)
      .slice(0, 2)
      .map(([event]) => event.slice('Lock:'.length));
    const which = events.length === 0 ? '' : ` (${events.join(', ')})`;
    return {
      text: `${formatShare(share)} of ${short(busy)} busy connections wait for a lock${which}`,
      next: 'Find the row or table that all of them write, lock it later or for less time, or spread it; more connections only make the queue longer.',
      weight: 62 + 5 * share,
    };
  },
};
