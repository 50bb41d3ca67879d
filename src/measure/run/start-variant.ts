import { withPartsEnv } from '../link/parts.ts';
import { startTarget } from '../target/start-target.ts';
import type { StartTarget } from '../target/target.ts';

/** Starts the service of a variant, with what the parts of the variant give to it. Throws PgsweepError `target`. */
export const startVariant: StartTarget = (options) =>
  startTarget({ ...options, variant: withPartsEnv(options.variant) });
