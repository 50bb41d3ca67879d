import { type CountOverTime, rateDifferenceInterval } from '../../stats/poisson-rates.ts';
import type { RunData } from '../read/run-data.ts';
import type { JudgedComparison } from './compare.ts';

/** The error of the interval that stands where no percentage can. */
const ALPHA = 0.05;

/**
 * What can be said of a number of events whose control has none: the absolute change per second, with an interval that
 * is exact if events come independently (a burst of errors is not, and is surer to be there than this says). Null where
 * the control has some, the variant none, or the metric counts no events.
 */
export function rateChangeOf(data: RunData, finding: JudgedComparison): readonly [number, number] | null {
  const { metric, contrast } = finding;
  const sides = [data.merged([contrast.cell]), data.merged(contrast.control)].map((sample) =>
    sample === null ? null : (metric.count?.(sample) ?? null),
  );
  const [value, control] = sides;
  if (!isCount(value) || !isCount(control) || control.count > 0 || value.count === 0) return null;
  const { low, high } = rateDifferenceInterval(value, control, ALPHA);
  return [low, high];
}

function isCount(count: CountOverTime | null | undefined): count is CountOverTime {
  return count !== null && count !== undefined && count.seconds > 0;
}
