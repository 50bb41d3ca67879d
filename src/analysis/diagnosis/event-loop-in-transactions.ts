import { probeValue } from '../probe-names.ts';
import type { Check } from './finding.ts';
import { percent, short } from './words.ts';

/** As in a saturation line: from here on waiting grows steeply. */
const FULL = 0.85;
/** Of the busy connections, and at least one of them. */
const LEAST_CLIENT_SHARE = 0.3;
const LEAST_WAITING = 1;

/** Postgres waits for the service, whose event loop is full: transactions stay open while the service is busy elsewhere. */
export const eventLoopInTransactions: Check = ({ values, use }) => {
  // Whether it had the CPU that it asked for or not, Postgres had to wait.
  const loop = Math.min(1, probeValue(values, 'eventLoopShare') ?? use('service event loop') ?? 0);
  const share = values.client_wait_share ?? 0;
  const idle = values.idle_in_transaction_mean ?? 0;
  if (loop < FULL || share < LEAST_CLIENT_SHARE || idle < LEAST_WAITING) return null;
  return {
    name: 'event-loop-holds-transactions',
    text: `the service's event loop is ${percent(loop)} busy, and ${short(idle)} connections wait for it inside of a transaction (${percent(share)} of the busy ones)`,
    next: 'Do less in the service between BEGIN and COMMIT, send fewer statements, or run more processes; a larger pool or a faster Postgres changes nothing.',
    weight: 55 + 5 * share,
  };
};
