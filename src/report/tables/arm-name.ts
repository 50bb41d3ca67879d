import { formatCount } from '../../judge/format.ts';
import type { Summary } from '../../judge/summary.ts';
import type { Average } from '../../judge/verdicts/averages.ts';
import { left } from './table.ts';

export const nameColumn = left('variant');

/** A row of averages, bulk loads or capacities. */
interface Arm {
  readonly variant: string;
  readonly repeat: boolean;
  readonly notes?: readonly object[];
}

/** The name of an arm at the head of its row: marked where notes say that it looks better than it is. */
export function armName({ variant, repeat, notes = [] }: Arm, summary: Pick<Summary, 'run'>): string {
  if (repeat) return repeatName(summary);
  if (variant === summary.run.control) return `${variant} (control)`;
  return notes.length === 0 ? variant : `${variant} [!]`;
}

/** The second arm of the control, or of the planned one. */
export function repeatName({ run }: Pick<Summary, 'run'>): string {
  return againName(run.plannedControl ?? run.control);
}

/** The second arm of a variant. */
export function againName(control: string): string {
  return `${control} again (A/A)`;
}

/** A count of the slices that count; null where there is no such slice: 0 would say that nothing failed. */
export function counted({ rounds }: Pick<Average, 'rounds'>, count: number): number | null {
  return rounds === 0 ? null : count;
}

/** A count with thousands separators; `n/a` where there is none. */
export function countText(count: number | null): string {
  return count === null ? 'n/a' : formatCount(count);
}

/** The word in place of a number of an arm most of whose requests had no answer as expected: `timeout`, `failed`. Else null. */
export function unfinishedWord({ unfinished }: Pick<Average, 'unfinished'>): 'timeout' | 'failed' | null {
  if (unfinished === null) return null;
  return unfinished === 'timeouts' ? 'timeout' : 'failed';
}
