import type { Summary } from '../../analysis/summary.ts';
import type { StopReason } from '../../journal/records.ts';
import { judgedName } from './judged.ts';

/** Why a run stopped. */
export function stopWords(reason: StopReason, { run, capacity }: Pick<Summary, 'run' | 'capacity'>): string {
  switch (reason) {
    case 'verdicts':
      return `stopped when every comparison of ${capacity === null ? judgedName(run) : 'capacities'} was settled`;
    case 'budget':
      return 'stopped by its time budget';
    case 'rounds':
      return 'stopped at its largest number of rounds';
    case 'quick':
      return 'quick run';
  }
}
