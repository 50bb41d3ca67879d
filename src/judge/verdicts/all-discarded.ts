import type { VoidReason } from '../../journal/records.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import type { Contrast } from './contrasts.ts';
import type { Judgement } from './judge.ts';

/** A judgement without a round says so where all slices of the variant, or else of the control, are discarded. */
export function orDiscarded(data: RunData, { cell, control }: Contrast, judgement: Judgement): Judgement {
  if (judgement.rounds > 0) return judgement;
  const own = whyDiscarded(data, [cell]);
  const reasons = own ?? whyDiscarded(data, control);
  if (reasons === null) return judgement;
  const ofControl = own === null && ({ control: true } as const);
  return { ...judgement, notes: [{ kind: 'not-measured', discarded: reasons, ...ofControl }] };
}

/** Null where a slice counts, or there was none. */
function whyDiscarded(data: RunData, cells: readonly ArmCell[]): VoidReason[] | null {
  if (cells.some((cell) => data.samples(cell).size > 0)) return null;
  const reasons = Object.keys(data.voidsOf(cells).byReason) as VoidReason[];
  return reasons.length === 0 ? null : reasons;
}
