import type { Caveat } from '../notes.ts';
import { bulkCaveats } from '../read/cells/bulk-loads.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { controlArms } from './contrasts.ts';
import { failureCaveats, uncountedCaveats } from './failures.ts';

/**
 * What makes a variant's cell look better than it is, against the control's: requests that failed, or documents of a
 * bulk load that were lost. Empty where nothing does.
 */
export function caveatsOf(data: RunData, cell: ArmCell): Caveat[] {
  if (cell.variant === data.scenario.control) return [];
  const control = controlArms(data, cell.load);
  // A bulk load repeats what was refused: what counts is which documents have arrived.
  if (cell.load.bulk) return bulkCaveats(data.bulk([cell]), data.bulk(control));
  return [
    ...failureCaveats(data.merged([cell]), data.merged(control)),
    ...uncountedCaveats(data.uncounted([cell]), data.uncounted(control)),
  ];
}
