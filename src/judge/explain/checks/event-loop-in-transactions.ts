import { formatShare } from '../../../base/units.ts';
import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';
import { loopInWords } from '../diagnosed-cell.ts';
import { isMachineFull, NEAR_LIMIT } from '../saturation.ts';

/**
 * A share of the busy connections, and at least one of them. Less than a third of what is open in Postgres does not
 * explain how long transactions take.
 */
const LEAST_CLIENT_SHARE = 0.3;
const LEAST_WAITING = 1;

/**
 * Postgres waits for the service, whose event loop is full: transactions stay open while the service is busy elsewhere.
 * An event loop that only waits for a full machine is another case. Where load generator, service and Postgres share
 * the cores, every service whose clients ask again at once looks so, and the saturation line says what has the cores.
 */
export const eventLoopInTransactions: CrossCheck = {
  name: 'event-loop-holds-transactions',
  queue: 'service event loop',
  symptomIn(cell) {
    const { values, use } = cell;
    const busy = use('service event loop') ?? 0;
    const share = probeValue(values, 'clientWaitShare') ?? 0;
    const idle = probeValue(values, 'idleInTransaction') ?? 0;
    if (busy < NEAR_LIMIT || share < LEAST_CLIENT_SHARE || idle < LEAST_WAITING) return null;
    return {
      text: `${loopInWords(cell, busy)}, and ${short(idle)} connections wait for it inside of a transaction (${formatShare(share)} of the busy ones)`,
      next: isMachineFull(cell)
        ? 'Do less in the service between BEGIN and COMMIT, or send fewer statements; the machine has no CPU left for more processes.'
        : 'Do less in the service between BEGIN and COMMIT, send fewer statements, or run more processes; a larger pool or a faster Postgres changes little.',
      weight: 55 + 5 * share,
    };
  },
};
