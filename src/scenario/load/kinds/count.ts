import { duration, count as wholeNumber } from '../../../base/schema-values.ts';
import type { KindOfLoad, Written } from '../kind.ts';

const LIMIT_MS = 120_000;

const keys = {
  count: wholeNumber(10_000_000)
    .optional()
    .describe('of connections: exactly this many requests; their time is judged'),
  limit: duration.optional().describe('of a count: what takes longer is a timeout; default 2m'),
};

/** This many requests and no more. */
export const count = {
  keys,
  refuses: { slice: 'load.slice does not go with load.count: a slice ends with its last request' },
  isWhole: () => true,
  fixesSlices: true,
  bounds: (load: Written<typeof keys>) => ({
    bounded: { count: load.count ?? 1, limitMs: load.limit ?? LIMIT_MS },
  }),
} satisfies KindOfLoad;
