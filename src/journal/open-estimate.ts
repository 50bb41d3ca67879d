import type { LoadLevel } from './scenario-record.ts';

/** A comparison of 2xx/s that is still open, as it is known by now. */
export interface OpenEstimate {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly deltaPercent: number;
  /** In percent: low, high. */
  readonly interval: readonly [number, number];
  /** How many rounds in all would settle it, if noise and estimate stay; null: more than the last look has, or not known. */
  readonly roundsNeeded: number | null;
}

/** A change against the control by the model of a search: a picture, and no verdict. */
export interface ModelledChange {
  readonly percent: number;
  /** In percent: low, high. The model gives it 95 %. */
  readonly range: readonly [number, number];
}

/** State of a search for the best setting, by its model. */
export interface SearchSoFar extends ModelledChange {
  readonly best: string;
  /** How much better the true best is expected to be, in percent. */
  readonly gainPercent: number;
}

/** Findings of a run by now. */
export interface FoundSoFar {
  /** The settings to take, where that is decided, by their short names, and the variants that they are. */
  readonly decided: readonly { readonly load: LoadLevel; readonly setting: string; readonly variant: string }[];
  /** The changes that differ, the largest first; empty where the run does not ask for changes. */
  readonly differing: readonly Omit<OpenEstimate, 'roundsNeeded'>[];
  /** How many are the same. */
  readonly same: number;
}

/** A load level under which it is not decided yet which setting to take. Settings have their short names. */
export interface OpenChoice {
  readonly load: LoadLevel;
  /** The cheapest setting that may be the one to take. */
  readonly setting: string;
  /** The setting that may be better by the margin, and by how many percent at most; null where no bound is known yet. */
  readonly rival: { readonly setting: string; readonly percent: number } | null;
  /** How many rounds in all would decide it, if noise and estimates stay; null: more than the last look has, or not known. */
  readonly roundsNeeded: number | null;
}
