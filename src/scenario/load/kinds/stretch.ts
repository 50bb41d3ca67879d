import { duration } from '../../../base/schema-values.ts';
import { eachRefused, type KindOfLoad, type Written } from '../kind.ts';

const keys = {
  for: duration
    .optional()
    .describe('a bounded run: how long an arm has load in a round, in one stretch; in place of slice and turn'),
};

/** One stretch of a given length: `for`. */
export const stretch = {
  keys,
  refuses: eachRefused(
    ['slice', 'count', 'bulk'],
    (key) => `load.${key} does not go with load.for, which says when a slice ends`,
  ),
  isWhole: () => true,
  fixesSlices: true,
  isDealt: true,
  bounds: ({ for: forMs = 0 }: Written<typeof keys>) => ({ forMs, sliceMs: forMs }),
} satisfies KindOfLoad;
