import { significant } from '../../stats/rounding.ts';
import type { SessionNote } from '../notes.ts';
import type { Observations } from '../read/aggregate-run.ts';
import { requestsPerSecond } from '../read/metrics/metrics.ts';
import { type Disturbance, disturbanceOf } from '../read/rounds/disturbance.ts';
import { tooManyVoid } from '../read/void-slices.ts';
import type { Finding } from './compare.ts';
import { minimumDetectablePercent, noiseFloorPercent } from './noise.ts';

/** Whether the run as a whole can be believed, and how fine it could see. */
export interface Session {
  /** In an unfit session no comparison has a verdict. */
  readonly verdict: 'fit' | 'unfit';
  /** Why it is unfit; empty if fit. */
  readonly reasons: readonly SessionNote[];
  readonly noiseFloorPercent: number | null;
  readonly minimumDetectablePercent: number | null;
  /** Noise from outside: it widens intervals, and makes no session unfit. */
  readonly disturbance: Disturbance;
  /** What the comparisons of 2xx/s that are still open would take; null where none is, or there can be no verdicts yet. */
  readonly open: OpenComparisons | null;
}

export interface OpenComparisons {
  readonly comparisons: number;
  /** How many more rounds settle all of them, if estimates and noise stay as they are; null: more than the last look has. */
  readonly moreRounds: number | null;
  /** As many rounds as long as those so far. */
  readonly moreMinutes: number | null;
}

/**
 * Judges the session from its void slices and the A/A findings: unfit is one whose numbers are wrong, not one that was
 * disturbed. Of A/A only 2xx/s can make it unfit: with all metrics under every load level, one of them would exclude 0 by
 * chance in too many good sessions.
 */
export function judgeSession(
  observations: Observations,
  comparisons: readonly Finding[],
  repeats: readonly Finding[],
): Session {
  const rounds = observations.rounds.length;
  const headline = comparisons.filter(({ metric }) => metric === requestsPerSecond);
  const headlineRepeats = repeats.filter(({ metric }) => metric === requestsPerSecond);
  const tooVoid = tooManyVoid(observations.voids);
  const reasons: SessionNote[] = [
    ...(rounds === 0 ? [{ kind: 'no-rounds' } as const] : []),
    ...(tooVoid === null ? [] : [tooVoid]),
    ...headlineRepeats.flatMap(repeatReason),
  ];
  return {
    verdict: reasons.length === 0 ? 'fit' : 'unfit',
    reasons,
    noiseFloorPercent: rounded(noiseFloorPercent(headlineRepeats, rounds)),
    minimumDetectablePercent: rounded(observations.quick ? null : minimumDetectablePercent(headline)),
    disturbance: disturbanceOf(observations.conditions),
    open: reasons.length === 0 ? openOf(observations, headline) : null,
  };
}

function openOf({ rounds, roundMs }: Observations, headline: readonly Finding[]): OpenComparisons | null {
  const waits = headline.flatMap(({ notes }) => notes.flatMap((note) => (note.kind === 'rounds-needed' ? [note] : [])));
  if (waits.length === 0) return null;
  const most = Math.max(...waits.map((wait) => wait.rounds ?? Number.POSITIVE_INFINITY));
  const isKnown = Number.isFinite(most);
  const moreRounds = isKnown ? Math.max(0, most - rounds.length) : null;
  const moreMinutes = moreRounds === null || roundMs === null ? null : significant((moreRounds * roundMs) / 60_000);
  return { comparisons: waits.length, moreRounds, moreMinutes };
}

function repeatReason({ verdict, interval, load }: Finding): SessionNote[] {
  if (interval === null || (verdict !== 'higher' && verdict !== 'lower')) return [];
  return [{ kind: 'control-differs', load, interval: [significant(interval[0]), significant(interval[1])] }];
}

function rounded(value: number | null): number | null {
  return value === null ? null : significant(value);
}
