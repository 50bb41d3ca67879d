import type { ConditionsRecord, SliceRecord } from '../journal/records.ts';
import type { LoadSpec } from '../journal/scenario-record.ts';
import { judgeSlice, type MeasuredSlice, type Voided } from './validity.ts';

/** Judges a run's slices as they come, and remembers what is usual for each cell. */
export interface SliceJudge {
  judge(slice: MeasuredSlice['slice'] & Pick<SliceRecord, 'variant'>, conditions: ConditionsRecord): Voided[];
}

export function createSliceJudge(load: LoadSpec): SliceJudge {
  const earlier = new Map<string, ConditionsRecord[]>();
  return {
    judge(slice, conditions) {
      const cell = JSON.stringify([slice.variant, slice.load]);
      const before = earlier.get(cell) ?? [];
      const voided = judgeSlice({ slice, conditions, load, earlier: before });
      if (voided.length === 0) earlier.set(cell, [...before, conditions]);
      return voided;
    },
  };
}
