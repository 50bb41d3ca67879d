import { loadKey } from '../journal/load-level.ts';
import type { WholeSlicesReason } from '../journal/pass-records.ts';
import type { LoadLevel, ResolvedScenario } from '../journal/scenario-record.ts';
import { blockTurns, isSwitchedLive } from '../plan/live-blocks.ts';
import { type TurnLength, turnLength } from '../plan/turn-length.ts';

/** How the arms of a load level share the time. */
export interface LevelSchedule extends TurnLength {
  /** The mean latency of the slowest arm, as the choice saw it. */
  readonly latencyMs: number;
  /** Set where each arm has one whole slice. */
  readonly wholeSlices?: WholeSlicesReason;
}

export interface TurnSchedule {
  /** Undefined as long as the latency of the level is not known. */
  of(load: LoadLevel): LevelSchedule | undefined;
  /**
   * Chooses by the mean latency of the slowest arm: in a session's first round as a short trial saw it, from then on as
   * the round before did. What was decided for another reason than latency stays.
   */
  choose(load: LoadLevel, latencyMs: number): void;
  /** From now on this level has whole slices. */
  useWholeSlices(load: LoadLevel, reason: WholeSlicesReason): void;
}

/** For so many arms: in turns by latency or, of settings that are switched live, in blocks of turns. */
export function createTurnSchedule(
  { load: spec, variants }: Pick<ResolvedScenario, 'load' | 'variants'>,
  arms: number,
): TurnSchedule {
  const lengthOf = (latencyMs: number): TurnLength | null =>
    isSwitchedLive({ variants }) ? blockTurns(spec, latencyMs, arms) : turnLength(spec, latencyMs);
  const levels = new Map<string, LevelSchedule>();
  const whole = { turnMs: spec.sliceMs, turnsPerArm: 1 };
  return {
    of: (load) => levels.get(loadKey(load)),
    choose(load, latencyMs) {
      if (![undefined, 'latency'].includes(levels.get(loadKey(load))?.wholeSlices)) return;
      const length = lengthOf(latencyMs);
      const reason = spec.turn === 'off' ? 'turned off' : 'latency';
      levels.set(
        loadKey(load),
        length === null ? { ...whole, latencyMs, wholeSlices: reason } : { ...length, latencyMs },
      );
    },
    useWholeSlices(load, reason) {
      const before = levels.get(loadKey(load));
      if (before?.wholeSlices !== undefined) return;
      levels.set(loadKey(load), { ...whole, latencyMs: before?.latencyMs ?? 0, wholeSlices: reason });
    },
  };
}
