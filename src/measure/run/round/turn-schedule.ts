import type { HiddenWaits, LengthsRecord, WarmupLength } from '../../../journal/length-records.ts';
import { loadKey } from '../../../journal/load-level.ts';
import type { WholeSlicesReason } from '../../../journal/pass-records.ts';
import type { LoadLevel, LoadSpec, ResolvedScenario } from '../../../journal/scenario-record.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import { blockTurns } from '../../plan/turn-blocks.ts';
import {
  FEWEST_TURNS,
  leastSliceMs,
  sliceForAnswers,
  type TurnLength,
  turnLength,
  type Waits,
} from '../../plan/turn-length.ts';
import { takesWholeSlices, wholeSliceMs } from '../../plan/whole-slices.ts';

/** How the arms of a load level share the time. */
export interface LevelSchedule extends TurnLength, SeenWaits {
  /** Set where each arm has one whole slice. */
  readonly wholeSlices?: WholeSlicesReason;
}

type Lengths = Pick<LengthsRecord, 'warmups' | 'levels' | 'found' | 'fewestTurns'>;

export interface TurnSchedule {
  /** Undefined as long as the latency of the level is not known. */
  of(load: LoadLevel): LevelSchedule | undefined;
  /** Time of an arm at that level in a round: where the scenario does not name it, enough for a few turns. */
  sliceMs(load: LoadLevel): number;
  /** True if turns are longer at that level since they hid waits. */
  hidesWaits(load: LoadLevel): boolean;
  /** How long an arm is warmed for the workload of that level. */
  warmup(load: LoadLevel): WarmupLength;
  /** The fewest turns that a slice of the run's own choice has. */
  fewestTurns(): number;
  /** The lengths from now on; the fewest turns stay where none are given. */
  take(lengths: Lengths): void;
  /**
   * Chooses by what the arms need together: in a session's first round as a short trial saw it, from then on as the round
   * before did. What was decided for another reason stays.
   */
  choose(load: LoadLevel, seen: SeenWaits): void;
  /**
   * From now on this level has whole slices, and true. After idle work seen for the first time only until the next choice,
   * and false: a machine that was taken away for seconds looks like it, too.
   */
  useWholeSlices(load: LoadLevel, reason: WholeSlicesReason): boolean;
}

/** Times of the arms' answers in a pass or a trial, of the arm that needs the longest turns. */
export type SeenWaits = Required<Pick<Waits, 'latencyMs' | 'drainMs'>>;

interface Chosen extends SeenWaits {
  /** For another reason than latency. */
  readonly wholeSlices?: WholeSlicesReason;
  readonly sawIdleWork?: true;
  /** Its next choice is made as if nothing had been seen. */
  readonly passing?: true;
}

/**
 * For this many arms: in turns by latency or, where they are one process, in blocks of turns. `lengths`: those that a
 * run begins or is resumed with; null for the usual ones.
 */
export function createTurnSchedule(
  { load: spec, variants }: Pick<ResolvedScenario, 'load' | 'variants'>,
  arms: number,
  lengths: Lengths | null = null,
): TurnSchedule {
  const isOneProcess = areOneProcess({ variants });
  const chosen = new Map<string, Chosen>();
  const taken = new Map<string, Lengths['levels'][number]>();
  let found: HiddenWaits | undefined;
  let fewestTurns = FEWEST_TURNS;
  const hiddenAt = (load: LoadLevel): Partial<HiddenWaits> | undefined => taken.get(loadKey(load)) ?? found;
  const lengthOf = (load: LoadLevel, sliceMs: number, { latencyMs, drainMs }: SeenWaits): TurnLength | null => {
    const { leastTurnMs = 0 } = hiddenAt(load) ?? {};
    const waits = { latencyMs, drainMs, leastTurnMs };
    return isOneProcess ? blockTurns({ ...spec, sliceMs }, waits, arms) : turnLength({ ...spec, sliceMs }, waits);
  };
  const firstLength = firstWarmup(spec, isOneProcess ? arms : 1);
  const warmups = new Map<LoadLevel['workload'], WarmupLength>();
  const sliceMsOf = (load: LoadLevel): number => {
    const { sliceMs = spec.sliceMs } = taken.get(loadKey(load)) ?? {};
    const { latencyMs, wholeSlices } = chosen.get(loadKey(load)) ?? { latencyMs: 0 };
    if (takesWholeSlices(spec, load)) return wholeSliceMs({ ...spec, sliceMs }, load);
    if (spec.autoSlice !== true) return sliceMs;
    if (wholeSlices !== undefined) return Math.max(sliceMs, sliceForAnswers(latencyMs));
    return Math.max(sliceMs, leastSliceMs(spec, latencyMs, fewestTurns));
  };
  const take = (lengths: Lengths): void => {
    for (const length of lengths.warmups) warmups.set(length.workload, length);
    for (const level of lengths.levels) taken.set(loadKey(level.load), level);
    found = lengths.found;
    fewestTurns = lengths.fewestTurns ?? fewestTurns;
  };
  if (lengths !== null) take(lengths);
  const hidesWaits = (load: LoadLevel): boolean => hiddenAt(load)?.leastTurnMs !== undefined;
  return {
    of(load) {
      const choice = chosen.get(loadKey(load));
      if (choice === undefined) return undefined;
      const { latencyMs, drainMs, wholeSlices } = choice;
      const sliceMs = sliceMsOf(load);
      const length = wholeSlices === undefined ? lengthOf(load, sliceMs, choice) : null;
      if (length !== null) return { ...length, latencyMs, drainMs };
      const reason = wholeSlices ?? (spec.turn === 'off' ? 'turned off' : hidesWaits(load) ? 'waits' : 'latency');
      return { turnMs: sliceMs, turnsPerArm: 1, latencyMs, drainMs, wholeSlices: reason };
    },
    sliceMs: sliceMsOf,
    fewestTurns: () => fewestTurns,
    hidesWaits,
    warmup: ({ workload }) => warmups.get(workload) ?? { ...firstLength, ...(workload !== undefined && { workload }) },
    take,
    choose(load, seen) {
      const { wholeSlices, sawIdleWork, passing = false } = chosen.get(loadKey(load)) ?? {};
      chosen.set(loadKey(load), {
        ...seen,
        ...(wholeSlices !== undefined && !passing && { wholeSlices }),
        ...(sawIdleWork && { sawIdleWork }),
      });
    },
    useWholeSlices(load, reason) {
      const before = chosen.get(loadKey(load));
      const passing = reason === 'idle work' && before?.sawIdleWork === undefined;
      const wholeSlices = before?.wholeSlices ?? reason;
      const seen = { ...(reason === 'idle work' && { sawIdleWork: true as const }), ...(passing && { passing }) };
      const { latencyMs = 0, drainMs = 0 } = before ?? {};
      chosen.set(loadKey(load), { latencyMs, drainMs, wholeSlices, ...seen });
      return !passing;
    },
  };
}

/** Warm-up of each of this many arms that share a process. */
function firstWarmup({ warmupMs, warmupRequests }: LoadSpec, sharers: number): WarmupLength {
  const requests = warmupRequests === undefined ? null : Math.ceil(warmupRequests / sharers);
  return { requests, mostMs: warmupMs / sharers };
}

/** The longest mean time of an arm from the end of sending to the last answer, of the drains of each arm's turns. */
export function longestDrainMs(drains: readonly (readonly number[])[]): number {
  const meanOf = (own: readonly number[]): number => own.reduce((sum, ms) => sum + Math.max(0, ms), 0) / own.length;
  return Math.max(0, ...drains.flatMap((own) => (own.length === 0 ? [] : [meanOf(own)])));
}
