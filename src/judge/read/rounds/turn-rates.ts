import type { SliceRecord } from '../../../journal/records.ts';
import { turnRate } from './turn-counts.ts';

/** Enough to see a course in a pass, few enough to be kept of every slice of a long run. */
export const PARTS = 12;

/**
 * 2xx/s in up to twelve equal parts of the turns of a round's slices of one cell, in their order. Of several slices
 * (arms in groups) those of the first. Empty where there were no turns.
 */
export function turnRates(slices: readonly SliceRecord[]): number[] {
  const slice = slices.find(({ turns }) => (turns?.okByTime.length ?? 0) > 0);
  const turns = slice?.turns?.okByTime.length ?? 0;
  if (slice === undefined || slice.windowMs <= 0) return [];
  const parts = Math.min(PARTS, turns);
  const startOf = (part: number): number => Math.floor((part * turns) / parts);
  return Array.from({ length: parts }, (_, part) => turnRate(slice, { from: startOf(part), to: startOf(part + 1) }));
}
