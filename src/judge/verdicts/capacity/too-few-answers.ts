import type { CapacitySpec } from '../../../journal/capacity/capacity-spec.ts';
import { answersNeeded } from '../../../journal/capacity/limit-reading.ts';
import type { TooFewAnswers } from '../../notes.ts';
import type { CapacityArm, CapacityPoint } from '../../read/rounds/capacity-points.ts';
import { median } from '../../stats/moments.ts';

/** A slice is proposed so much longer than the median one would have to be: others have fewer answers. */
const ROOM = 1.25;

/**
 * The limit whose percentile lacks most answers in slices of arms that have no answer, and a slice that should be long enough for
 * it. Null where their slices lack none, or had no answers at all.
 */
export function tooFewAnswers(
  arms: readonly Pick<CapacityArm, 'points'>[],
  { until }: CapacitySpec,
  sliceMs: number,
): TooFewAnswers | null {
  const points = arms.flatMap((arm) => arm.points);
  const lacking = until.flatMap(({ metric }) => {
    const needed = answersNeeded(metric);
    const counts = points.flatMap((point) => (hasTooFew(point, metric) ? [point.answers] : []));
    return needed === null || counts.length === 0 ? [] : [{ metric, needed, counts }];
  });
  const [worst] = lacking.sort((a, b) => b.needed - a.needed);
  if (worst === undefined) return null;
  const { metric, needed, counts } = worst;
  const longerMs = (ROOM * sliceMs * needed) / median(counts);
  return { metric, needed, answers: Math.max(...counts), sliceMs: 1000 * Math.ceil(longerMs / 1000) };
}

/** On the way up through the range slices have their own length. */
function hasTooFew({ wanted, generatorBusy, answers, values }: CapacityPoint, metric: string): boolean {
  return wanted && !generatorBusy && answers > 0 && !values.has(metric);
}
