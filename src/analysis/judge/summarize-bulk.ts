import type { LoadLevel } from '../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import type { Caveat } from '../notes.ts';
import type { ArmCell, Observations } from '../read/aggregate-run.ts';
import { type BulkTotals, bulkCaveats } from '../read/cells/bulk-loads.ts';
import { controlArms, otherVariants } from './compare.ts';

/** The bulk loads of one arm over all complete rounds. */
export interface BulkSummary extends BulkTotals {
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  /** What makes its time no fair comparison; empty where nothing does. */
  readonly notes: readonly Caveat[];
}

/** The bulk loads of every arm, the control's first. Empty where the run has none. */
export function summarizeBulk(observations: Observations): BulkSummary[] {
  return observations.scenario.load.levels.flatMap((load) => {
    const control = controlArms(observations, load);
    const others = otherVariants(observations).map((variant): ArmCell => ({ variant, load, repeat: false }));
    return [...control, ...others].flatMap((cell) => {
      const totals = observations.bulk([cell]);
      if (totals === null) return [];
      const notes = bulkCaveats(totals, observations.bulk(control));
      return [{ ...cell, ...totals, totalMs: significant(totals.totalMs), notes }];
    });
  });
}
