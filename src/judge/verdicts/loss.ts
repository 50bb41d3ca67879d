import { countsRequests } from '../../journal/load-level.ts';
import type { Caveat } from '../caveat.ts';
import type { ComparisonNote } from '../notes.ts';
import { bulkCaveats, controlBulkCaveats, hasLost } from '../read/cells/bulk-loads.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import type { JudgedComparison } from './compare.ts';
import type { Contrast } from './contrasts.ts';

type Bulk = Pick<RunData, 'bulk' | 'scenario'>;

/**
 * The side that a bulk load's verdict is for although it lost documents: it had less to do, so that it was faster says
 * nothing. Nor does it that loads are alike, where a side lost more than is allowed.
 */
export function fasterByLoss(
  data: Bulk,
  { contrast, verdict, metric }: Pick<JudgedComparison, 'contrast' | 'verdict' | 'metric'>,
): 'variant' | 'control' | null {
  const { control, cell } = contrast;
  const { load } = data.scenario;
  if (countsRequests(cell.load) || metric.better === null || verdict === 'noise') return null;
  if (verdict === 'same') {
    const lost = (cells: readonly ArmCell[]): boolean => {
      const totals = data.bulk(cells);
      return totals !== null && hasLost(totals, load);
    };
    return lost([cell]) ? 'variant' : lost(control) ? 'control' : null;
  }
  if (verdict !== metric.better) return lossesOfControl(data, contrast).length > 0 ? 'control' : null;
  return bulkCaveats(data.bulk([cell]), data.bulk(control), load).length > 0 ? 'variant' : null;
}

/** The note on such a verdict, which does not stand. */
export function fasterByLossNote(side: 'variant' | 'control', verdict: JudgedComparison['verdict']): ComparisonNote {
  const isSame = verdict === 'same' && { same: true as const };
  return { kind: 'faster-by-loss', ...(side === 'control' && { control: true }), ...isSame };
}

/** Caveats of the control's bulk load, compared with that of one variant. Empty where there are none. */
export function lossesOfControl(data: Bulk, { control, cell }: Contrast): Caveat[] {
  return controlBulkCaveats(data.bulk(control), data.bulk([cell]), data.scenario.load);
}
