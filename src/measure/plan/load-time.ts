import { traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { levelPlan } from './level-plan.ts';
import { heaviestLevels } from './warmup-length.ts';
import { expectedSliceMs, takesWholeSlices } from './whole-slices.ts';

/** Rate of the document service on the two-core machine that the bench was built on, with 25 connections. */
const BULK_DOCUMENTS_PER_S = 900;
/** How many documents a folder holds is known only when it is read; Ed-Fi's smallest template has about this many. */
const FOLDER_DOCUMENTS = 9000;

/** How long one slice of a load level is expected to be under load. */
export function loadTimeMs(spec: LoadSpec, level: LoadLevel): number {
  const { bulk, sliceMs } = spec;
  if (takesWholeSlices(spec, level)) return expectedSliceMs(spec, level);
  if (traitsOf(level).isTimed || bulk === undefined) return sliceMs;
  const documents = bulk.dataset.kind === 'template' ? bulk.dataset.documents : FOLDER_DOCUMENTS;
  return ((bulk.update ? 2 : 1) * documents * 1000) / BULK_DOCUMENTS_PER_S;
}

/**
 * How long a fresh process is warmed, at most, in ms: for each workload by itself. A bulk load comes before, on a cold
 * process.
 */
export function warmupTimeMs(load: LoadSpec): number {
  return heaviestLevels(levelPlan(load).expected).length * load.warmupMs;
}
