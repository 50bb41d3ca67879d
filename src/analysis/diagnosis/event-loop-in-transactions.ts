import { probeValue } from '../probe-names.ts';
import { eventLoopBusy } from './event-loop-busy.ts';
import type { Check } from './finding.ts';
import { percent, short } from './words.ts';

/** As in a saturation line: from here on waiting grows steeply. */
const FULL = 0.85;
/** Of the busy connections, and at least one of them. */
const LEAST_CLIENT_SHARE = 0.3;
const LEAST_WAITING = 1;
/** Of the time in which it was at work, the event loop had no more CPU than this: others had it. */
const STARVED = 0.6;

/** Postgres waits for the service, whose event loop is full: transactions stay open while the service is busy elsewhere. */
export const eventLoopInTransactions: Check = ({ values, use }) => {
  const loop = eventLoopBusy({ values, use }) ?? 0;
  const share = values.client_wait_share ?? 0;
  const idle = values.idle_in_transaction_mean ?? 0;
  if (loop < FULL || share < LEAST_CLIENT_SHARE || idle < LEAST_WAITING) return null;
  const cores = probeValue(values, 'serviceThreadCores');
  const isStarved = cores !== null && cores < STARVED * loop;
  const had = isStarved ? ` (with ${short(cores)} of a core)` : '';
  return {
    name: 'event-loop-holds-transactions',
    text: `the service's event loop is ${percent(loop)} busy${had}, and ${short(idle)} connections wait for it inside of a transaction (${percent(share)} of the busy ones)`,
    next: isStarved
      ? 'First give the service the CPU that it asks for: other processes had it.'
      : 'Do less in the service between BEGIN and COMMIT, send fewer statements, or run more processes; a larger pool or a faster Postgres changes nothing.',
    weight: 55 + 5 * share,
  };
};
