import type { LoadLevel } from './scenario-record.ts';

/** A comparison of 2xx/s that a run goes on for, as it is known by now. */
export interface OpenEstimate {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly deltaPercent: number;
  /** In percent: low, high. */
  readonly interval: readonly [number, number];
  /** How many rounds in all would settle it, if noise and estimate stay; null: more than the last look has, or not known. */
  readonly roundsNeeded: number | null;
}
