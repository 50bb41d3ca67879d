import type { Selector } from '../../../journal/service/metric-names.ts';
import type { Exposition } from './prometheus-text.ts';

/** A service may show thousands; each is a column of the results. */
const MOST_METRICS = 300;

/** True if a metric fits a pattern: a star is any characters. */
export function matchesPattern(pattern: string, name: string): boolean {
  // Metrics' names have nothing in them that is special in a regular expression.
  return new RegExp(`^${pattern.split('*').join('.*')}$`).test(name);
}

/** Adds a selector for each metric shown that a pattern stands for, of all its series together; no more than 300 in all. */
export function addMatching(
  patterns: readonly string[],
  { types, series }: Exposition,
  selectors: Map<string, Selector>,
): void {
  if (patterns.length === 0) return;
  for (const declared of types.keys()) {
    // OpenMetrics declares a counter without the `_total` of its series.
    const name = !series.has(declared) && series.has(`${declared}_total`) ? `${declared}_total` : declared;
    if (selectors.size >= MOST_METRICS) return;
    if (!selectors.has(name) && patterns.some((pattern) => matchesPattern(pattern, name)))
      selectors.set(name, { name, labels: {} });
  }
}
