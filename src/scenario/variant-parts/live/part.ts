import type { LoadSpec, Variant } from '../../../journal/scenario-record.ts';
import type { VariantPart } from '../part.ts';
import { liveFactor, liveVariant } from './schema.ts';
import { atLevel, switchOf } from './switches.ts';

const schema = liveVariant.describe('how a running service is switched to this variant: all arms are one process');

/** Variants to which a running service and its database are switched. */
export const live = {
  schema,
  factors: {
    live: {
      schema: liveFactor.describe('how a running service is switched to a level: all arms are then one process'),
      at: [],
      written: atLevel,
    },
  },
  needsPostgres: ['setting', 'settings', 'hideIndex', 'sql', 'reconnect'],
  needsNoStart: true,
  resolve: switchOf,
} satisfies VariantPart<'live', typeof schema>;

/** After a switch by request a pool may have to open sessions; where all are opened again, each plans its statements again. */
const SETTLE_MS = 100;
const SETTLE_SESSIONS_MS = 250;
/** The first slice, whose starts are cheap: turns show the noise soon. */
const FIRST_SLICE_MS = 2000;

/** Lengths of turns that each follow a switch; null where arms are separate processes. */
export function lengthsAfterSwitches(
  variants: readonly Variant[],
): Required<Pick<LoadSpec, 'settleMs' | 'sliceMs'>> | null {
  const [first] = variants.flatMap(({ live: own }) => own ?? []);
  if (first === undefined) return null;
  return { settleMs: first.reconnect ? SETTLE_SESSIONS_MS : SETTLE_MS, sliceMs: FIRST_SLICE_MS };
}
