import type { Contest } from './compare.ts';
import type { Observations } from './observations.ts';
import type { VoidCounts } from './void-counts.ts';

/** A difference in void slices below this share is not worth a mark. */
const MIN_SHARE_DIFFERENCE = 0.1;

/**
 * A sentence where clearly more of the variant's slices were void than of the control's, or fewer: what is left out
 * unequally is a selection. Clearly: by more than 10 % of the slices and 2 standard errors of the pooled difference.
 * Null otherwise.
 */
export function voidingNote(observations: Observations, { control, cell }: Contest): string | null {
  const [a, b] = [voidsOf(observations, [cell]), voidsOf(observations, control)];
  if (a.slices === 0 || b.slices === 0) return null;
  const pooled = (a.voided + b.voided) / (a.slices + b.slices);
  const standardError = Math.sqrt(pooled * (1 - pooled) * (1 / a.slices + 1 / b.slices));
  const difference = Math.abs(a.voided / a.slices - b.voided / b.slices);
  if (difference <= MIN_SHARE_DIFFERENCE || difference <= 2 * standardError) return null;
  return `unequal voiding: ${a.voided} of ${a.slices} slices (control ${b.voided} of ${b.slices})`;
}

function voidsOf(observations: Observations, cells: Contest['control']): Pick<VoidCounts, 'slices' | 'voided'> {
  const counts = cells.map((cell) => observations.voidsOf(cell));
  return {
    slices: counts.reduce((sum, { slices }) => sum + slices, 0),
    voided: counts.reduce((sum, { voided }) => sum + voided, 0),
  };
}
