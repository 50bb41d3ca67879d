import { formatShare } from '../../../base/units.ts';
import type { CrossCheck } from '../cross-check.ts';

/**
 * The threshold of the discard reason `generator busy`: above it latency is the generator's queue as much as the
 * service's.
 */
const BUSY = 0.85;

/** The load generator was the limit: what was measured is the generator. */
export const generatorLimit: CrossCheck = {
  name: 'generator-is-the-limit',
  queue: 'generator',
  symptomIn({ use }) {
    const busy = use('generator') ?? 0;
    if (busy < BUSY) return null;
    return {
      text: `the load generator is ${formatShare(busy)} busy: what was measured is the generator`,
      next: 'Send smaller requests, ask for smaller answers or use fewer connections, or run the service on its own machine.',
      weight: 100,
    };
  },
};
