import type { StopReason } from '../../journal/records.ts';

/** Why a run stopped. */
export const stopWords: Readonly<Record<StopReason, string>> = {
  verdicts: 'stopped when every comparison that it ran for was settled',
  budget: 'stopped by its time budget',
  rounds: 'stopped at its largest number of rounds',
  quick: 'quick run',
};
