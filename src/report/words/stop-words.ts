import type { StopReason } from '../../journal/records.ts';
import { plural } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import { judgedName } from './judged.ts';

/** Why a run stopped. */
export function stopWords(
  reason: StopReason,
  { run, capacity, machines }: Pick<Summary, 'run' | 'capacity' | 'machines'>,
): string {
  switch (reason) {
    case 'verdicts':
      if (run.question === 'best') return 'stopped when it was decided which setting to take';
      return `stopped when every comparison of ${capacity === null ? judgedName(run) : 'capacities'} was settled`;
    case 'budget':
      return 'stopped by its time budget';
    case 'rounds':
      return machines === undefined
        ? 'stopped at its largest number of rounds'
        : `of ${plural(machines.machines.length, 'machine')}, fixed beforehand`;
    case 'quick':
      return 'quick run';
  }
}
