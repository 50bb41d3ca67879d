import type { VoidReason } from '../../journal/records.ts';
import type { UnequalVoiding } from '../notes.ts';
import type { ArmCell, Observations } from '../read/aggregate-run.ts';
import type { VoidCounts } from '../read/void-slices.ts';
import type { Contest } from './compare.ts';

/** A difference in void slices below this share is not worth a mark. */
const MIN_SHARE_DIFFERENCE = 0.1;

/**
 * A note where clearly more of the variant's slices were void than of the control's, or fewer. Clearly: by more than
 * 10 % of the slices and 2 standard errors of the pooled difference. Empty otherwise.
 */
export function unequalVoiding(observations: Observations, { control, cell }: Contest): UnequalVoiding[] {
  const [a, b] = [countVoidsOf(observations, [cell]), countVoidsOf(observations, control)];
  if (a.slices === 0 || b.slices === 0) return [];
  const pooled = (a.voided + b.voided) / (a.slices + b.slices);
  const standardError = Math.sqrt(pooled * (1 - pooled) * (1 / a.slices + 1 / b.slices));
  const difference = Math.abs(a.voided / a.slices - b.voided / b.slices);
  if (difference <= MIN_SHARE_DIFFERENCE || difference <= 2 * standardError) return [];
  const ofControl = { controlVoided: b.voided, controlSlices: b.slices };
  return [{ kind: 'unequal-voiding', voided: a.voided, slices: a.slices, ...ofControl }];
}

/** The void slices of several arms together. */
function countVoidsOf(observations: Observations, cells: readonly ArmCell[]): VoidCounts {
  const byReason: Partial<Record<VoidReason, number>> = {};
  let [slices, voided] = [0, 0];
  for (const counts of cells.map((cell) => observations.voidsOf(cell))) {
    slices += counts.slices;
    voided += counts.voided;
    for (const [reason, count] of Object.entries(counts.byReason) as [VoidReason, number][]) {
      byReason[reason] = (byReason[reason] ?? 0) + count;
    }
  }
  return { slices, voided, byReason };
}
