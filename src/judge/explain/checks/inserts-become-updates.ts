import { formatShare } from '../../../base/units.ts';
import { countsRequests } from '../../../journal/load-level.ts';
import { short } from '../../format.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';

/** The share of 200 among the answers 200 and 201. A test of inserts has next to no 200. */
const LEAST_UPDATED_SHARE = 0.9;

/**
 * Bodies that make a test of inserts a test of updates: the first few POSTs make something (201), all others find it
 * there (200). Seen in published results: 14,599 x 200 and 25 x 201.
 */
export const insertsBecomeUpdates: CrossCheck = {
  name: 'inserts-become-updates',
  symptomIn(cell) {
    if (!meansToInsert(cell)) return null;
    const { sample, detail } = cell;
    const updated = sample.statuses.get('200') ?? 0;
    const made = sample.statuses.get('201') ?? 0;
    // Without a single 201, not even while warming up, this service answers every POST so.
    if (detail.created === 0 || updated / Math.max(1, updated + made) < LEAST_UPDATED_SHARE) return null;
    return {
      text: `${formatShare(updated / (updated + made))} of POSTs were answered 200 and not 201 (${short(updated)} against ${short(made)}): they found what an earlier one had made`,
      next: 'Give every request a body of its own, such as an id of "${unique}".',
      weight: 92,
    };
  },
};

/** True where every request is a POST; a module's are not known, and the built-in upserts are what they say. */
function meansToInsert({ load, scenario }: DiagnosedCell): boolean {
  const { workload } = scenario.load;
  if (!countsRequests(load)) return false;
  const builtIn = load.workload ?? (workload.kind === 'built-in' ? workload.workload : null);
  if (builtIn !== null) return builtIn === 'insert-schools';
  return workload.kind === 'requests' && workload.requests.every(({ method }) => method === 'POST');
}
