import type { Summary } from '../../judge/summary.ts';
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

export function repeatName({ run }: Pick<Summary, 'run'>): string {
  return againName(run.control);
}

/** The second arm of a control. */
export function againName(control: string): string {
  return `${control} again (A/A)`;
}
