import type { LengthsRecord, WarmupLength } from '../../journal/length-records.ts';
import { loadKey } from '../../journal/load-level.ts';
import type { WholeSlicesReason } from '../../journal/pass-records.ts';
import type { LoadLevel, LoadSpec, ResolvedScenario } from '../../journal/scenario-record.ts';
import { blockTurns, isSwitchedLive } from '../../plan/live-blocks.ts';
import { leastSliceMs, type TurnLength, turnLength } from '../../plan/turn-length.ts';
import { takesWholeSlices, wholeSliceMs } from '../../plan/whole-slices.ts';

/** How the arms of a load level share the time. */
export interface LevelSchedule extends TurnLength {
  /** The mean latency of the slowest arm, as the choice saw it. */
  readonly latencyMs: number;
  /** Set where each arm has one whole slice. */
  readonly wholeSlices?: WholeSlicesReason;
}

type Lengths = Pick<LengthsRecord, 'warmup' | 'levels'>;

export interface TurnSchedule {
  /** Undefined as long as the latency of the level is not known. */
  of(load: LoadLevel): LevelSchedule | undefined;
  /** What an arm has at that level in a round: where the scenario does not name it, enough for a few turns. */
  sliceMs(load: LoadLevel): number;
  readonly warmup: () => WarmupLength;
  /** The lengths from now on. */
  take(lengths: Lengths): void;
  /**
   * Chooses by the mean latency of the slowest arm: in a session's first round as a short trial saw it, from then on as
   * the round before did. What was decided for another reason than latency stays.
   */
  choose(load: LoadLevel, latencyMs: number): void;
  /**
   * From now on this level has whole slices, and true. After idle work seen for the first time only until the next choice,
   * and false: a machine that was taken away for seconds looks like it, too.
   */
  useWholeSlices(load: LoadLevel, reason: WholeSlicesReason): boolean;
}

interface Chosen {
  readonly latencyMs: number;
  /** For another reason than latency. */
  readonly wholeSlices?: WholeSlicesReason;
  readonly sawIdleWork?: true;
  /** Its next choice is made as if nothing had been seen. */
  readonly passing?: true;
}

/**
 * For so many arms: in turns by latency or, of settings that are switched live, in blocks of turns. `lengths`: those that a
 * run is resumed with; null where it begins.
 */
export function createTurnSchedule(
  { load: spec, variants }: Pick<ResolvedScenario, 'load' | 'variants'>,
  arms: number,
  lengths: Lengths | null = null,
): TurnSchedule {
  const isLive = isSwitchedLive({ variants });
  const lengthOf = (sliceMs: number, latencyMs: number): TurnLength | null =>
    isLive ? blockTurns({ ...spec, sliceMs }, latencyMs, arms) : turnLength({ ...spec, sliceMs }, latencyMs);
  const chosen = new Map<string, Chosen>();
  const slices = new Map<string, number>();
  let warmup = firstWarmup(spec, isLive ? arms : 1);
  const sliceMsOf = (load: LoadLevel): number => {
    const sliceMs = slices.get(loadKey(load)) ?? spec.sliceMs;
    const { latencyMs, wholeSlices } = chosen.get(loadKey(load)) ?? { latencyMs: 0 };
    if (takesWholeSlices(spec, load)) return wholeSliceMs({ ...spec, sliceMs }, load);
    return spec.autoSlice === true && wholeSlices === undefined
      ? Math.max(sliceMs, leastSliceMs(spec, latencyMs))
      : sliceMs;
  };
  const take = (taken: Lengths): void => {
    warmup = taken.warmup;
    for (const { load, sliceMs } of taken.levels) slices.set(loadKey(load), sliceMs);
  };
  if (lengths !== null) take(lengths);
  return {
    of(load) {
      const choice = chosen.get(loadKey(load));
      if (choice === undefined) return undefined;
      const { latencyMs, wholeSlices } = choice;
      const sliceMs = sliceMsOf(load);
      const length = wholeSlices === undefined ? lengthOf(sliceMs, latencyMs) : null;
      if (length !== null) return { ...length, latencyMs };
      const reason = wholeSlices ?? (spec.turn === 'off' ? 'turned off' : 'latency');
      return { turnMs: sliceMs, turnsPerArm: 1, latencyMs, wholeSlices: reason };
    },
    sliceMs: sliceMsOf,
    warmup: () => warmup,
    take,
    choose(load, latencyMs) {
      const { wholeSlices, sawIdleWork, passing = false } = chosen.get(loadKey(load)) ?? {};
      chosen.set(loadKey(load), {
        latencyMs,
        ...(wholeSlices !== undefined && !passing && { wholeSlices }),
        ...(sawIdleWork && { sawIdleWork }),
      });
    },
    useWholeSlices(load, reason) {
      const before = chosen.get(loadKey(load));
      const passing = reason === 'idle work' && before?.sawIdleWork === undefined;
      const wholeSlices = before?.wholeSlices ?? reason;
      const seen = { ...(reason === 'idle work' && { sawIdleWork: true as const }), ...(passing && { passing }) };
      chosen.set(loadKey(load), { latencyMs: before?.latencyMs ?? 0, wholeSlices, ...seen });
      return !passing;
    },
  };
}

/** What each of so many arms has of the warm-up of the process that they share. */
function firstWarmup({ warmupMs, warmupRequests }: LoadSpec, sharers: number): WarmupLength {
  const requests = warmupRequests === undefined ? null : Math.ceil(warmupRequests / sharers);
  return { requests, mostMs: warmupMs / sharers };
}
