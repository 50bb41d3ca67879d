import { PgsweepError } from '../../../base/errors.ts';
import { type DistanceWay, distanceWays } from '../../../journal/link/distance.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { whyNoNetem } from '../../link/netem/can-netem.ts';
import { type AskedWay, type ChosenWay, hasDistance, wayOf, whyNotFor } from '../../link/netem/choose-way.ts';

/** What may say which way it is to be. */
export interface WayWishes {
  /** What made the distances of a run that goes on. */
  readonly before?: DistanceWay | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * What makes the distances of a run; null where it has none. Throws PgsweepError `usage` for a PGSWEEP_DISTANCE that is no way, or not
 * the one that the run began with, and `stack` where the kernel has to and cannot.
 */
export async function chooseDistanceWay(
  scenario: Pick<ResolvedScenario, 'variants' | 'stack'>,
  stack: string,
  { before, env = process.env }: WayWishes = {},
): Promise<ChosenWay | null> {
  if (!hasDistance(scenario)) return null;
  const asked = askedWay(env.PGSWEEP_DISTANCE, before);
  const why = asked?.way === 'proxy' ? null : (whyNotFor(scenario, stack) ?? (await whyNoNetem()));
  return wayOf(why, asked);
}

function askedWay(text: string | undefined, before: DistanceWay | undefined): AskedWay | null {
  const way = distanceWays.find((each) => each === text);
  if (text && way === undefined)
    throw new PgsweepError('usage', `PGSWEEP_DISTANCE is "${text}": expected one of ${distanceWays.join(', ')}`);
  if (way !== undefined && before !== undefined && way !== before) {
    throw new PgsweepError('usage', `the run began with distances by ${before}, and cannot go on by ${way}`, {
      hint: 'Leave PGSWEEP_DISTANCE out, or start a new run.',
    });
  }
  if (before !== undefined) return { way: before, because: `the run began with ${before}` };
  return way === undefined ? null : { way, because: `PGSWEEP_DISTANCE is ${way}` };
}

/** `netem`, or `by a proxy (the kernel has no netem)` */
export function wayWords({ by, why }: ChosenWay): string {
  return why === null ? `by ${by}` : `by a ${by} (${why})`;
}
