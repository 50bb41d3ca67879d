import type { Summary } from '../../analysis/summary.ts';
import type { Column } from './table.ts';

export const nameColumn: Column = { head: 'variant', align: 'left' };

/** A row of averages or bulk loads. */
interface Arm {
  readonly variant: string;
  readonly repeat: boolean;
  readonly notes: readonly object[];
}

/** The name of an arm at the head of its row: marked where notes say that it looks better than it is. */
export function armName({ variant, repeat, notes }: Arm, summary: Summary): string {
  if (repeat) return repeatName(summary);
  if (variant === summary.run.control) return `${variant} (control)`;
  return notes.length === 0 ? variant : `${variant} [!]`;
}

export function repeatName({ run }: Summary): string {
  return `${run.control} again (A/A)`;
}
