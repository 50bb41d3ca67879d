import type { VoidReason } from '../../journal/records.ts';
import type { TooManyVoid } from '../notes.ts';

/** Slices that were measured, and why some of them do not count. */
export interface VoidCounts {
  /** Every attempt. */
  readonly slices: number;
  readonly voided: number;
  /** Most frequent first. A slice may have several reasons. */
  readonly byReason: Readonly<Partial<Record<VoidReason, number>>>;
}

/** More void slices than this, and the machine was not fit to measure on. */
const MOST_VOID_SHARE = 0.2;

export function countVoids(reasons: readonly (readonly VoidReason[])[]): VoidCounts {
  const counts = new Map<VoidReason, number>();
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const sorted = [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return {
    slices: reasons.length,
    voided: reasons.filter((of) => of.length > 0).length,
    byReason: Object.fromEntries(sorted),
  };
}

/** A note where too many slices are void for any verdict; null where not. */
export function tooManyVoid({ slices, voided, byReason }: VoidCounts): TooManyVoid | null {
  if (slices === 0 || voided / slices <= MOST_VOID_SHARE) return null;
  return { kind: 'too-many-void', voided, slices, byReason };
}
