import type { SliceRecord } from '../../../journal/records.ts';
import { mean } from '../../../stats/moments.ts';

/** Enough to see a course in a pass, few enough to be kept of every slice of a long run. */
export const PARTS = 12;

/**
 * 2xx/s in up to twelve equal parts of the turns of a round's slices of one cell, in their order. Of several slices
 * (arms in groups) those of the first. Empty where there were no turns.
 */
export function turnRates(slices: readonly SliceRecord[]): number[] {
  const slice = slices.find(({ turns }) => (turns?.okByTime.length ?? 0) > 0);
  const counts = slice?.turns?.okByTime ?? [];
  if (slice === undefined || slice.windowMs <= 0) return [];
  const turnSeconds = slice.windowMs / counts.length / 1000;
  const parts = Math.min(PARTS, counts.length);
  const startOf = (part: number): number => Math.floor((part * counts.length) / parts);
  return Array.from({ length: parts }, (_, part) => mean(counts.slice(startOf(part), startOf(part + 1))) / turnSeconds);
}
