import { addTo } from '../../base/group-by.ts';
import type { VoidReason } from '../../journal/records.ts';
import type { TooManyVoid, UnequalVoiding } from '../notes.ts';

/** Slices that were measured, and why some of them do not count. */
export interface VoidCounts {
  /** Every attempt. */
  readonly slices: number;
  readonly voided: number;
  /** Most frequent first. A slice may have several reasons. */
  readonly byReason: Readonly<Partial<Record<VoidReason, number>>>;
}

/** A difference in discarded slices below this share is not worth a mark. */
const MIN_SHARE_DIFFERENCE = 0.1;

/** With more discarded slices than this, the machine was not fit to measure on. */
const MOST_VOID_SHARE = 0.2;

export function countVoids(reasons: readonly (readonly VoidReason[])[]): VoidCounts {
  const counts = new Map<VoidReason, number>();
  for (const reason of reasons.flat()) addTo(counts, reason, 1);
  const sorted = [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return {
    slices: reasons.length,
    voided: reasons.filter((of) => of.length > 0).length,
    byReason: Object.fromEntries(sorted),
  };
}

/** A note where too many slices are discarded for any verdict; empty otherwise. */
export function tooManyVoid({ slices, voided, byReason }: VoidCounts): TooManyVoid[] {
  if (slices === 0 || voided / slices <= MOST_VOID_SHARE) return [];
  return [{ kind: 'too-many-void', voided, slices, byReason }];
}

/**
 * A note where clearly more of the variant's slices were discarded than of the control's, or fewer. Clearly: by more
 * than 10 % of the slices and 2 standard errors of the pooled difference. Empty otherwise.
 */
export function unequalVoiding(own: VoidCounts, control: VoidCounts): UnequalVoiding[] {
  if (own.slices === 0 || control.slices === 0) return [];
  const pooled = (own.voided + control.voided) / (own.slices + control.slices);
  const standardError = Math.sqrt(pooled * (1 - pooled) * (1 / own.slices + 1 / control.slices));
  const difference = Math.abs(own.voided / own.slices - control.voided / control.slices);
  if (difference <= MIN_SHARE_DIFFERENCE || difference <= 2 * standardError) return [];
  const ofControl = { controlVoided: control.voided, controlSlices: control.slices };
  return [{ kind: 'unequal-voiding', voided: own.voided, slices: own.slices, ...ofControl }];
}
