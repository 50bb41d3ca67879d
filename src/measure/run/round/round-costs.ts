import type { RoundRecord } from '../../../journal/records.ts';

/** Times of the rounds of a session, to predict the next one. */
export interface RoundCosts {
  /** `slicesMs`: what all slices of an arm were to take, those of a load level by the part of the arms that it had. `arms`: how many there were. */
  add(record: RoundRecord, slicesMs: number, arms: number): void;
  /** From now on warm-up takes about this long in each arm, until a round has shown it. */
  expectWarmup(warmupMs: number): void;
  /** From now on warm-up takes this much longer in each arm. */
  lengthenWarmup(moreMs: number): void;
  /** Time of a round with this many arms besides its slices. Zero where none was made. */
  besideMs(arms: number): number;
  /**
   * Time that a millisecond of an arm's slices takes: in all arms, with drains and the time between turns. Zero where none
   * was made.
   */
  costPerMs(): number;
}

export function createRoundCosts(): RoundCosts {
  const beside: number[] = [];
  let warmups: number[] = [];
  let [loadMs, wantedMs] = [0, 0];
  let expectedMs: number | null = null;
  const warmupMs = (): number => (warmups.length === 0 ? (expectedMs ?? 0) : meanOf(warmups));
  return {
    add({ durationMs, phases, onceMs = 0 }, slicesMs, arms) {
      beside.push(durationMs - phases.sliceMs - phases.warmupMs - onceMs);
      warmups.push(phases.warmupMs / arms);
      loadMs += phases.sliceMs;
      wantedMs += slicesMs;
    },
    expectWarmup(warmupMs) {
      warmups = [];
      expectedMs = warmupMs;
    },
    lengthenWarmup(moreMs) {
      expectedMs = warmupMs() + moreMs;
      warmups = [];
    },
    besideMs: (arms) => meanOf(beside) + arms * warmupMs(),
    costPerMs: () => (wantedMs === 0 ? 0 : loadMs / wantedMs),
  };
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
