import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Caveat } from '../notes.ts';
import { type BulkTotals, bulkCaveats } from '../read/cells/bulk-loads.ts';
import type { RunData } from '../read/run-data.ts';
import { significant } from '../stats/rounding.ts';
import { cellsOf, controlArms } from './contrasts.ts';

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
  return cellsOf(data).flatMap((cell) => {
    const totals = data.bulk([cell]);
    if (totals === null) return [];
    const notes = bulkCaveats(totals, data.bulk(controlArms(data, cell.load)));
    return [{ ...cell, ...totals, totalMs: significant(totals.totalMs), notes }];
  });
}
