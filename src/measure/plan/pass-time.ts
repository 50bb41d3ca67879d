import { traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { loadTimeMs } from './load-time.ts';
import { leastSliceMs, turnLength } from './turn-length.ts';
import { takesWholeSlices } from './whole-slices.ts';

/** Between the turns of a pass, and while their last requests are answered, as a share of its load. */
export const BETWEEN_TURNS_SHARE = 0.03;

/** Parts of a pass beside its load, in ms, and what its length depends on. */
export interface PassCosts {
  /** Latency of an answer while nothing else is under way. */
  readonly latencyMs: number;
  /** The fewest turns of a slice of the run's own choice. */
  readonly fewestTurns: number;
  /** Beside the load of each arm. */
  readonly perSliceMs: number;
  /** Pauses in a pass of turns. */
  readonly pausesMs: number;
  /** To choose the turns of a level, for all arms together. */
  readonly trialsMs: number;
}

/** Time of an arm's slice, in ms. Where answers are slow, it is longer, and their last ones are waited for after each turn. */
export function sliceTimeMs(
  load: LoadSpec,
  level: LoadLevel,
  { latencyMs, fewestTurns }: Pick<PassCosts, 'latencyMs' | 'fewestTurns'>,
): number {
  const ownMs = loadTimeMs(load, level);
  if (!hasTurns(load, level)) return (1 + BETWEEN_TURNS_SHARE) * ownMs + latencyMs;
  const leastMs = load.autoSlice === true ? leastSliceMs(load, latencyMs, fewestTurns) : 0;
  const sliceMs = Math.max(ownMs, leastMs);
  const turns = turnLength({ ...load, sliceMs }, { latencyMs, drainMs: latencyMs })?.turnsPerArm ?? 1;
  return (1 + BETWEEN_TURNS_SHARE) * sliceMs + turns * latencyMs;
}

/** True where arms alternate in the slices of a level, as long as nothing else speaks for whole slices. */
export function hasTurns(load: LoadSpec, level: LoadLevel): boolean {
  return traitsOf(level).isTimed && !takesWholeSlices(load, level);
}
