import { formatShare } from '../../base/units.ts';
import { axisUnit } from '../load-level.ts';
import type { LoadAxis } from '../load-traits.ts';

/** How much of a metric is still borne. */
export interface CapacityLimit {
  /** As the scenario names it: `p95_ms`, `failed`, `service_cpu`, or a value of a probe. */
  readonly metric: string;
  /** In the metric's unit; a share is 0..1, and CPU is in cores. */
  readonly most: number;
}

/** The question how much load a variant bears. */
export interface CapacitySpec {
  readonly of: LoadAxis;
  /** The smallest and the largest load that is tried. */
  readonly from: number;
  readonly to: number;
  /** A variant bears a load where it keeps all of them. */
  readonly until: readonly CapacityLimit[];
}

/** The question for people: `10 to 2000 connections, until p95_ms 200, failed 1 %`. */
export function capacityLabel({ of, from, to, until }: CapacitySpec): string {
  return `${from} to ${to} ${axisUnit(of)}, until ${until.map(limitLabel).join(', ')}`;
}

/** A limit for people: `p95_ms 200`, `failed 1 %`, `service_cpu 0.85 cores`. */
export function limitLabel({ metric, most }: CapacityLimit): string {
  if (metric === 'service_cpu') return `${metric} ${most} cores`;
  return `${metric} ${metric === 'failed' || metric.endsWith('_share') ? formatShare(most) : most}`;
}
