import type { MetricName } from '../../src/judge/read/metrics/metrics.ts';
import type { Summary } from '../../src/judge/summary.ts';
import type { Comparison } from '../../src/judge/verdicts/comparison.ts';
import type { FixtureOptions } from './journal-fixture.ts';

/** One variant against its control under one load level. */
export const small: FixtureOptions = { variants: ['a', 'b'], control: 'a', connections: [25], noise: 0.01 };

/** The comparison of a variant by a metric. */
export function comparison(summary: Summary, metric: MetricName, variant = 'b'): Comparison {
  const found = summary.comparisons.find((one) => one.metric === metric && one.variant === variant);
  if (found === undefined) throw new Error(`no comparison of ${variant} by ${metric}`);
  return found;
}
