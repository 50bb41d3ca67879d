import { z } from 'zod';
import { didYouMean, nearest } from '../../base/nearest.ts';
import { parseLimit, parsePercent } from '../../base/units.ts';
import { shortened } from '../../base/visible.ts';
import type { CapacityLimit } from '../../journal/capacity/capacity-spec.ts';
import { limitMetrics } from '../../journal/capacity/limit-reading.ts';
import type { Target } from '../../journal/scenario-record.ts';
import { isPattern, usualValues } from '../../journal/service/metric-names.ts';
import { mayBeValue, valueNames } from '../../measure/probe/registry.ts';
import type { Path, Problem } from '../problem.ts';

const LIMIT = 'expected a limit above 0, such as 200, 200ms or 1%';

const limit = z
  .union([z.string(), z.number()], { error: LIMIT })
  .refine((text) => parseLimit(text) !== null, { error: LIMIT })
  .meta({ title: 'number, percentage or duration', pattern: String.raw`^\s*[+.]?\d`, exclusiveMinimum: 0 });

/** Limits of metrics, written by their names. */
export const metricLimits = (description: string) =>
  z
    .record(z.string().regex(/^[a-z][a-z0-9_]*$/, { error: 'expected the name of a metric, such as p95_ms' }), limit)
    .meta({ description, minProperties: 1 })
    .refine(({ failed = 0 }) => (parsePercent(failed) ?? 101) <= 100, {
      error: 'expected a percentage such as 1%',
      path: ['failed'],
    })
    .superRefine((limits, context) => {
      for (const [metric, text] of Object.entries(limits)) {
        const message = unitProblem(metric, text);
        if (message !== null) context.addIssue({ code: 'custom', path: [metric], message });
      }
    })
    .transform((limits) =>
      Object.entries(limits).map(([metric, text]): CapacityLimit => ({ metric, most: limitOf(metric, text) })),
    );

/** Problems of limits: where there is none, and for each that nothing measures. */
export function checkLimits(
  limits: readonly CapacityLimit[],
  path: Path,
  { metrics }: Pick<Target, 'metrics'>,
  problems: Problem[],
): void {
  const place = path.join('.');
  if (limits.length === 0) problems.push({ path, message: `${place}: expected a limit, such as p95_ms: 200` });
  for (const { metric } of limits) {
    if (limitMetrics.includes(metric) || mayBeValue(metric, metrics)) continue;
    const message = `${place}: unknown metric "${shortened(metric, 60)}": expected ${limitMetrics.join(', ')}, or a value under What probes saw in report.md${likeOf(metric, metrics?.include ?? [])}`;
    problems.push({ path, key: metric, message });
  }
}

/** The end of a metric's name, or a part of it, where it is a time: `p95_ms`, `active_ms_per_transaction`. */
const TIME = /_ms(_|$)/;

/** Names the units that a limit may have, where its own is none of its metric's: read as a bare number it would be another limit. */
function unitProblem(metric: string, written: string | number): string | null {
  const text = String(written).trim();
  if (TIME.test(metric))
    return text.endsWith('%') ? 'expected a time such as 200, 200ms or 2s, not a percentage' : null;
  // That nothing measures it matters more.
  const isKnown = limitMetrics.includes(metric) || mayBeValue(metric, undefined);
  if (metric === 'failed' || !isKnown || !/[a-z]$/.test(text)) return null;
  return metric === 'service_cpu'
    ? 'expected CPUs such as 1.7, or a percentage of one such as 85%, not a time'
    : 'expected a number or a percentage, not a time';
}

/** The nearest name, to follow what is expected. A metric that the scenario names is not a value: it has values by its kind. */
function likeOf(metric: string, included: readonly string[]): string {
  const named = included.filter((name) => !isPattern(name));
  const values = [...limitMetrics, ...valueNames, ...named.flatMap(usualValues)];
  const near = nearest(metric, [...values, ...named]);
  return near === null || values.includes(near)
    ? didYouMean(metric, values)
    : `; usual values of ${near} are ${usualValues(near).join(', ')}`;
}

/** Failures are a percentage with or without its sign, as in load.maxFailedRate. */
function limitOf(metric: string, written: string | number): number {
  return metric === 'failed' ? (parsePercent(written) ?? 100) / 100 : (parseLimit(written) ?? 1);
}
