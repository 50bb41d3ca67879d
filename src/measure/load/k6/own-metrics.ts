import { createLatencyHistogram, type LatencyHistogram } from '../../../journal/histogram.ts';
import type { K6Event } from './k6-lines.ts';

/** Each may have a histogram of 200 KB. */
const MOST_METRICS = 50;

type Described = Extract<K6Event, { readonly kind: 'metric' }>;

interface Summed extends Pick<Described, 'type' | 'isTime'> {
  values: number;
  sum: number;
  last: number;
  readonly times: LatencyHistogram | null;
}

/** Metrics that the script makes itself, and those of WebSockets and gRPC. */
export interface OwnMetrics {
  describe(metric: Described): void;
  add(name: string, value: number): void;
  /** By name, unit last, as values of a probe are; none of a metric that had no value. */
  values(windowMs: number): Record<string, number>;
}

export function createOwnMetrics(): OwnMetrics {
  const metrics = new Map<string, Summed>();
  return {
    describe({ name, type, isTime }) {
      if (metrics.has(name) || metrics.size === MOST_METRICS) return;
      const times = type === 'trend' && isTime ? createLatencyHistogram() : null;
      metrics.set(name, { type, isTime, values: 0, sum: 0, last: 0, times });
    },
    add(name, value) {
      const metric = metrics.get(name);
      if (metric === undefined) return;
      metric.values++;
      metric.sum += value;
      metric.last = value;
      metric.times?.record(1000 * value);
    },
    values(windowMs) {
      const had = [...metrics].filter(([, { values }]) => values > 0);
      return Object.assign({}, ...had.map(([name, metric]) => valuesOf(`k6_${name}`, metric, windowMs)));
    },
  };
}

function valuesOf(name: string, { type, values, sum, last, times }: Summed, windowMs: number): Record<string, number> {
  switch (type) {
    case 'counter':
      return windowMs > 0 ? { [`${name}_per_s`]: (1000 * sum) / windowMs } : {};
    case 'gauge':
      return { [name]: last };
    case 'rate':
      return { [`${name}_percent`]: (100 * sum) / values };
    case 'trend':
      if (times === null) return { [`${name}_mean`]: sum / values };
      return { [`${name}_mean_ms`]: sum / values, [`${name}_p95_ms`]: times.toRecord().p95Us / 1000 };
  }
}
