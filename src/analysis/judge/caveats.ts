import type { Caveat } from '../notes.ts';
import type { ArmCell, Observations } from '../read/aggregate-run.ts';
import { bulkCaveats } from '../read/cells/bulk-loads.ts';
import { controlArms } from './compare.ts';
import { failureCaveats, uncountedCaveats } from './failures.ts';

/**
 * What makes a variant's cell look better than it is, against the control's: requests that failed, or documents of a
 * bulk load that were lost. Empty where nothing does.
 */
export function caveatsOf(observations: Observations, cell: ArmCell): Caveat[] {
  if (cell.variant === observations.scenario.control) return [];
  const control = controlArms(observations, cell.load);
  // A bulk load repeats what was refused: what counts is which documents have arrived.
  if (cell.load.bulk) return bulkCaveats(observations.bulk([cell]), observations.bulk(control));
  return [
    ...failureCaveats(observations.merged([cell]), observations.merged(control)),
    ...uncountedCaveats(observations.uncounted([cell]), observations.uncounted(control)),
  ];
}
