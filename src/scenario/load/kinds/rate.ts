import { z } from 'zod';
import { count, distinct } from '../../../base/schema-values.ts';
import type { OpenLoopSpec } from '../../../journal/scenario-record.ts';
import type { Around, KindOfLoad, Written } from '../kind.ts';
import { sizesOf } from '../sizes.ts';

/** Whoever is two seconds behind with its answers is overloaded; a pause of the service lets up to this many pile up. */
const IN_FLIGHT_S = 2;
const LEAST_IN_FLIGHT = 100;

const one = z.number().positive().max(100_000);
const keys = {
  rate: z
    .union([one, distinct(one)], {
      error: 'expected a number of requests a second, or a list of at most 100 of them',
    })
    .transform((sizes) => [sizes].flat())
    .optional()
    .describe(
      'load levels: requests that are sent each second, earlier ones answered or not; or iterations of a k6 script that begin; in place of connections',
    ),
  arrivals: z
    .enum(['constant', 'poisson'])
    .optional()
    .describe('of a rate: at equal distances, or at random as independent users; default poisson'),
  inFlight: count(10_000)
    .optional()
    .describe(
      'of a rate: requests that wait for an answer at most; one that is due beyond that has failed; default 2s of the highest rate, at least 100 (of a k6 script: iterations of 1s, 20 to 500)',
    ),
};

export type RateDocument = Written<typeof keys>;

export const rate = {
  keys,
  refuses: { count: 'load.count goes with load.connections, not with load.rate' },
  isWhole: () => true,
  levels(load: RateDocument, { problems }: Around) {
    const rates = sizesOf(load.rate ?? [1], 'rate', problems);
    return { levels: rates.map((size) => ({ rate: size })), openLoop: openLoopUpTo(Math.max(...rates), load) };
  },
} satisfies KindOfLoad;

/** How requests are sent at rates up to this one. */
export function openLoopUpTo(most: number, { arrivals = 'poisson', inFlight }: RateDocument): OpenLoopSpec {
  return { arrivals, inFlight: inFlight ?? Math.max(LEAST_IN_FLIGHT, Math.ceil(IN_FLIGHT_S * most)) };
}
