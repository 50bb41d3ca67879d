import { bulkNote } from './bulk-loads.ts';
import { controlArms } from './compare.ts';
import { failureNote } from './failures.ts';
import type { ArmCell, Observations } from './observations.ts';

/**
 * What makes a variant's cell look better than it is, against the control's: requests that failed, or documents of a
 * bulk load that were lost. Null where nothing does.
 */
export function markOf(observations: Observations, cell: ArmCell): string | null {
  if (cell.variant === observations.scenario.control) return null;
  const control = controlArms(observations, cell.load);
  // A bulk load repeats what was refused: what counts is which documents have arrived.
  return cell.load.bulk
    ? bulkNote(observations.bulk([cell]), observations.bulk(control))
    : failureNote(observations.merged([cell]), observations.merged(control));
}
