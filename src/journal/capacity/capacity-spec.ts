import { formatShare } from '../../base/units.ts';
import { axisUnit, loadAxes } from '../load-traits.ts';
import { amount, fields, list, oneOf, text, type ValueOf } from '../shape.ts';

/** How much of a metric is still sustained. */
export interface CapacityLimit extends ValueOf<typeof capacityLimit> {}
const capacityLimit = fields({
  /** As the scenario names it: `p95_ms`, `failed`, `service_cpu`, or a value of a probe. */
  metric: text,
  /** In the metric's unit; a share is 0..1, and CPU is in cores. */
  most: amount,
});

const MOST_LIMITS = 100;
export const someLimits = list(capacityLimit, 1, MOST_LIMITS);

/** The question how much load a variant sustains. */
export interface CapacitySpec extends ValueOf<typeof capacitySpec> {}
export const capacitySpec = fields({
  of: oneOf(...loadAxes),
  /** The smallest and the largest load that is tried. */
  from: amount,
  to: amount,
  /** A variant sustains a load where it keeps all of them. */
  until: someLimits,
});

/** The question for people: `10 to 2000 connections, until p95_ms 200, failed 1 %`. */
export function capacityLabel({ of, from, to, until }: CapacitySpec): string {
  return `${from} to ${to} ${axisUnit(of)}, until ${until.map(limitLabel).join(', ')}`;
}

/** A limit for people: `p95_ms 200`, `failed 1 %`, `service_cpu 0.85 cores`. */
export function limitLabel({ metric, most }: CapacityLimit): string {
  if (metric === 'service_cpu') return `${metric} ${most} cores`;
  return `${metric} ${metric === 'failed' || metric.endsWith('_share') ? formatShare(most) : most}`;
}
