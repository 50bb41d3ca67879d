import type { ProbeValues } from '../read/metrics/metric-aliases.ts';
import { innerMetric, type Metric, readingOf } from '../read/metrics/metrics.ts';
import { unitOf } from '../read/metrics/probe-values.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { significant } from '../stats/rounding.ts';
import { compareVariants, type JudgedComparison } from './compare.ts';
import { cellsOf } from './contrasts.ts';

/** A value of a probe as a metric, to be averaged and compared like any other. */
export function probeMetric(name: string): Metric {
  return innerMetric(name, ({ probe }) => readingOf(probe(name)), { unit: unitOf(name), group: 'probe', probe: name });
}

/**
 * Every value that the journal's probes gave, against the control, by name: each a family of its own over the cells.
 * They explain what the run found; neither the stop rule nor the session's fitness asks for them. One name after the
 * other, for who is done with a name before the next needs to keep nothing of it.
 */
export function* compareProbes(data: RunData): Generator<JudgedComparison> {
  const names = new Set(cellsOf(data).flatMap((cell) => Object.keys(meansOf(data, cell))));
  for (const name of [...names].sort()) yield* compareVariants(data, probeMetric(name));
}

/** A cell's values, each the mean of the rounds that have it. */
export function probeAverages(data: RunData, cell: ArmCell): Record<string, number> {
  const values = Object.entries(meansOf(data, cell));
  return Object.fromEntries(values.map(([name, value]) => [name, significant(value)]));
}

function meansOf(data: RunData, cell: ArmCell): ProbeValues {
  return data.merged([cell])?.probes ?? {};
}
