import { formatShare } from '../../base/units.ts';
import { isThrottled } from '../read/rounds/disturbance.ts';
import type { SaturationFacts } from './saturation-facts.ts';

/**
 * The CPU limit of pgsweep's control group. A group that has used it up stands still, all processes of the run together,
 * so every other resource only seems full, or idle. Full where it was used up in every second period: work comes in bursts.
 */
export function cpuLimitUse({ throttledShare: share = null }: SaturationFacts) {
  if (share === null || share === 0) return null;
  const text = `CPU limit of pgsweep's control group used up in ${formatShare(share)} of its periods`;
  return { resource: 'cpu limit' as const, utilisation: isThrottled(share) ? 1 : share, text };
}
