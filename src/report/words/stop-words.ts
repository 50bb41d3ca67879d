import type { StopReason } from '../../journal/records.ts';
import { judgedName } from './judged.ts';

/** Why a run stopped. */
export function stopWords(reason: StopReason, run: Parameters<typeof judgedName>[0]): string {
  switch (reason) {
    case 'verdicts':
      return `stopped when every comparison of ${judgedName(run)} was settled`;
    case 'budget':
      return 'stopped by its time budget';
    case 'rounds':
      return 'stopped at its largest number of rounds';
    case 'quick':
      return 'quick run';
  }
}
