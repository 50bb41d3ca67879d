import { loadLabel } from '../journal/load-level.ts';
import type { Finding } from './compare.ts';
import { requestsPerSecond } from './metrics.ts';
import { minimumDetectablePercent, noiseFloorPercent } from './noise.ts';
import type { Observations } from './observations.ts';
import { significant } from './rounding.ts';
import { tooManyVoid } from './void-counts.ts';

/** Whether the run as a whole can be believed, and how fine it could see. */
export interface Session {
  /** In an unfit session no comparison has a verdict. */
  readonly verdict: 'fit' | 'unfit';
  /** Why it is unfit; empty if fit. */
  readonly reasons: readonly string[];
  readonly noiseFloorPercent: number | null;
  readonly minimumDetectablePercent: number | null;
}

/**
 * Judges the session from its void slices and the A/A findings. Of these, only 2xx/s of the two control arms can make it unfit: with all fifteen
 * metrics under every load level, one of them would exclude 0 by chance in too many good sessions.
 */
export function judgeSession(
  observations: Observations,
  comparisons: readonly Finding[],
  repeats: readonly Finding[],
): Session {
  const rounds = observations.rounds.length;
  const headline = comparisons.filter(({ metric }) => metric === requestsPerSecond);
  const headlineRepeats = repeats.filter(({ metric }) => metric === requestsPerSecond);
  const reasons = headlineRepeats.flatMap((finding) => repeatReason(finding) ?? []);
  const tooVoid = tooManyVoid(observations.voids);
  if (tooVoid !== null) reasons.unshift(tooVoid);
  if (rounds === 0) reasons.unshift('no round was completed');
  return {
    verdict: reasons.length === 0 ? 'fit' : 'unfit',
    reasons,
    noiseFloorPercent: rounded(noiseFloorPercent(headlineRepeats, rounds)),
    minimumDetectablePercent: rounded(observations.quick ? null : minimumDetectablePercent(headline, rounds)),
  };
}

function repeatReason({ verdict, interval, load }: Finding): string | null {
  if (interval === null || (verdict !== 'higher' && verdict !== 'lower')) return null;
  const [low, high] = interval.map((end) => end.toFixed(1));
  return `A/A: with ${loadLabel(load)} the control differs from itself in 2xx/s (${low} to ${high} %)`;
}

function rounded(value: number | null): number | null {
  return value === null ? null : significant(value);
}
