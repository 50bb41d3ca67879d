import type { CapacitySpec } from '../../journal/capacity/capacity-spec.ts';
import { leastLatencyLimitMs } from '../../journal/capacity/limit-reading.ts';
import { loadSize, traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { sweptMs } from './capacity-levels.ts';
import { loadTimeMs } from './load-time.ts';
import { hasTurns, type PassCosts, sliceTimeMs } from './pass-time.ts';

export type SearchLoad = LoadSpec & { readonly capacity: CapacitySpec };

export function isSearch(load: LoadSpec): load is SearchLoad {
  return load.capacity !== undefined;
}

/** One arm of a search. */
export interface SearchedArm {
  /** The load at which it reaches a limit. */
  readonly limit: number;
  /** The load up to which it answers as fast as it is asked. */
  readonly capacity: number;
  /** How long clients wait for an answer at its limit, in ms. */
  readonly latencyMs: number;
}

/** The least and the most that clients wait for an answer at a limit, in ms: up to the timeout where no limit is a latency. */
export function latenciesAtLimit(load: SearchLoad): readonly [least: number, most: number] {
  const limitMs = leastLatencyLimitMs(load);
  return [limitMs ?? 0, limitMs ?? load.timeoutMs];
}

/** Costs of passes that have no part in a ratio of their loads. */
export const loadAlone: PassCosts = { latencyMs: 0, fewestTurns: 1, perSliceMs: 0, pausesMs: 0, trialsMs: 0 };

/** Time of passes of all arms at these levels, in ms. */
export function levelsTimeMs(
  load: SearchLoad,
  levels: readonly LoadLevel[],
  arms: readonly SearchedArm[],
  costs: PassCosts,
): number {
  return sumOf(levels.map((level) => passOfAllMs(load, level, arms, costs)));
}

/** Time of a pass of all arms, in ms, and of the choice of its turns. */
export function passOfAllMs(
  load: SearchLoad,
  level: LoadLevel,
  arms: readonly SearchedArm[],
  costs: PassCosts,
): number {
  const armMs = (arm: SearchedArm): number => {
    const lastMs = waitMs(load, level, arm, loadTimeMs(load, level));
    if (traitsOf(level).isOpenLoop) return sliceTimeMs(load, level, costs) + lastMs;
    return sliceTimeMs(load, level, { ...costs, latencyMs: Math.max(costs.latencyMs, lastMs) });
  };
  const turnsMs = hasTurns(load, level) ? costs.pausesMs + costs.trialsMs : 0;
  return turnsMs + sumOf(arms.map((arm) => armMs(arm) + costs.perSliceMs));
}

/** Time of a pass of all arms on the way up through the range, in ms. */
export function sweptPassMs(
  load: SearchLoad,
  level: LoadLevel,
  arms: readonly SearchedArm[],
  { perSliceMs }: PassCosts,
): number {
  const ownMs = sweptMs(load);
  return sumOf(arms.map((arm) => ownMs + perSliceMs + waitMs(load, level, arm, ownMs)));
}

/**
 * How long the last answers of a slice are waited for, in ms: at a rate, until all that has piled up is answered or times out;
 * of clients that wait for their answers, as long as one answer takes, which grows with their number.
 */
function waitMs(
  load: SearchLoad,
  level: LoadLevel,
  { limit, capacity, latencyMs }: SearchedArm,
  sliceMs: number,
): number {
  const { timeoutMs, openLoop } = load;
  const size = loadSize(level);
  if (!traitsOf(level).isOpenLoop) return Math.min(timeoutMs, (latencyMs * size) / limit);
  const mostWaiting = openLoop?.inFlight ?? Number.POSITIVE_INFINITY;
  const waiting = Math.min(mostWaiting, (Math.max(0, size - capacity) * sliceMs) / 1000);
  return Math.min(timeoutMs, (1000 * waiting) / capacity);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
