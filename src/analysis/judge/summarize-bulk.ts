import type { LoadLevel } from '../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import type { Caveat } from '../notes.ts';
import { type BulkTotals, bulkCaveats } from '../read/cells/bulk-loads.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { controlArms, otherVariants } from './contrasts.ts';

/** The bulk loads of one arm over all complete rounds. */
export interface BulkSummary extends BulkTotals {
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  /** Why its time is no fair comparison; empty where it is one. */
  readonly notes: readonly Caveat[];
}

/** The bulk loads of every arm, the control's first. Empty where the run has none. */
export function summarizeBulk(data: RunData): BulkSummary[] {
  return data.scenario.load.levels.flatMap((load) => {
    const control = controlArms(data, load);
    const others = otherVariants(data).map((variant): ArmCell => ({ variant, load, repeat: false }));
    return [...control, ...others].flatMap((cell) => {
      const totals = data.bulk([cell]);
      if (totals === null) return [];
      const notes = bulkCaveats(totals, data.bulk(control));
      return [{ ...cell, ...totals, totalMs: significant(totals.totalMs), notes }];
    });
  });
}
