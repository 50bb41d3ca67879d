import { countsRequests } from '../../journal/load-level.ts';
import type { Caveat } from '../caveat.ts';
import type { ComparisonNote } from '../notes.ts';
import { bulkCaveats, controlBulkCaveats } from '../read/cells/bulk-loads.ts';
import type { RunData } from '../read/run-data.ts';
import type { JudgedComparison } from './compare.ts';
import type { Contrast } from './contrasts.ts';

type Bulk = Pick<RunData, 'bulk'>;

/** The side that a bulk load's verdict is for although it lost documents: it had less to do, so that it was faster says nothing. */
export function fasterByLoss(
  data: Bulk,
  { contrast, verdict, metric }: Pick<JudgedComparison, 'contrast' | 'verdict' | 'metric'>,
): 'variant' | 'control' | null {
  const { control, cell } = contrast;
  if (countsRequests(cell.load) || metric.better === null || (verdict !== 'higher' && verdict !== 'lower')) return null;
  if (verdict !== metric.better) return lossesOfControl(data, contrast).length > 0 ? 'control' : null;
  return bulkCaveats(data.bulk([cell]), data.bulk(control)).length > 0 ? 'variant' : null;
}

/** The note on such a verdict, which does not stand. */
export function fasterByLossNote(side: 'variant' | 'control'): ComparisonNote {
  return { kind: 'faster-by-loss', ...(side === 'control' && { control: true }) };
}

/** Caveats of the control's bulk load, compared with that of one variant. Empty where there are none. */
export function lossesOfControl(data: Bulk, { control, cell }: Contrast): Caveat[] {
  return controlBulkCaveats(data.bulk(control), data.bulk([cell]));
}
