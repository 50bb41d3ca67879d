import { traitsOf } from '../../journal/load-level.ts';
import { documentsIn, documentsPerSecond } from '../../journal/sample.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { levelPlan } from './level-plan.ts';
import { heaviestLevels } from './warmup-length.ts';
import { expectedSliceMs, takesWholeSlices } from './whole-slices.ts';

/** How long one slice of a load level is expected to be under load, in ms. */
export function loadTimeMs(spec: LoadSpec, level: LoadLevel): number {
  const { bulk, sliceMs } = spec;
  if (takesWholeSlices(spec, level)) return expectedSliceMs(spec, level);
  if (traitsOf(level).isTimed || bulk === undefined) return sliceMs;
  return ((bulk.update ? 2 : 1) * documentsIn(bulk.dataset) * 1000) / documentsPerSecond;
}

/**
 * The longest that a fresh process is warmed, in ms, for all workloads one after the other. A bulk load is not preceded by a
 * warm-up.
 */
export function warmupTimeMs(load: LoadSpec): number {
  return heaviestLevels(levelPlan(load).expected).length * load.warmupMs;
}
