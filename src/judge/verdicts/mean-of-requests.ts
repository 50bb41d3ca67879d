import type { RequestCount } from '../read/cells/request-counts.ts';
import type { Metric } from '../read/metrics/metrics.ts';

/**
 * The mean over the answers as expected to the requests of one name, in milliseconds; `totalMs` is their sum. No other
 * metric of the run has this name: series are remembered by it.
 */
export function meanOfRequests(name: string, request: string, totalMs: (count: RequestCount) => number): Metric {
  return {
    name,
    unit: 'ms',
    label: 'mean ms',
    better: 'lower',
    group: 'load',
    overRounds: 'mean',
    read({ requests }) {
      const count = requests.get(request);
      if (count === undefined || count.ok === 0) return { value: null, gap: { samples: 0, needed: 1 } };
      return { value: totalMs(count) / count.ok };
    },
  };
}
