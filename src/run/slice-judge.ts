import type { ConditionsRecord, SliceRecord } from '../journal/records.ts';
import type { LoadSpec } from '../journal/scenario-record.ts';
import { judgeSlice, type MeasuredSlice, type Voided } from './validity.ts';

/** Judges a run's slices as they come, and remembers what is usual for each cell. */
export interface SliceJudge {
  judge(slice: MeasuredSlice['slice'] & Pick<SliceRecord, 'variant'>, conditions: ConditionsRecord): Voided[];
}

/** `before`: the slices that a run which is resumed has measured, as it judged them then. */
export function createSliceJudge(load: LoadSpec, before: readonly SliceRecord[] = []): SliceJudge {
  const earlier = new Map<string, ConditionsRecord[]>();
  const earlierOf = (slice: Pick<SliceRecord, 'variant' | 'load'>): ConditionsRecord[] => {
    const cell = JSON.stringify([slice.variant, slice.load]);
    const known = earlier.get(cell) ?? [];
    earlier.set(cell, known);
    return known;
  };
  for (const slice of before) {
    if (slice.conditions && slice.voided?.length === 0) earlierOf(slice).push(slice.conditions);
  }
  return {
    judge(slice, conditions) {
      const known = earlierOf(slice);
      const voided = judgeSlice({ slice, conditions, load, earlier: known });
      if (voided.length === 0) known.push(conditions);
      return voided;
    },
  };
}
