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
 * Comparisons of every value of the journal's probes with the control, by name; the cells of a name are one family. They
 * explain the findings of a run, and decide neither when it stops nor whether it is fit. A generator, so that the caller
 * need not keep all of them in memory.
 */
export function* compareProbes(data: RunData): Generator<JudgedComparison> {
  const names = new Set(cellsOf(data).flatMap((cell) => Object.keys(meansOf(data, cell))));
  for (const name of [...names].sort()) yield* compareVariants(data, probeMetric(name));
}

/** Values of a cell's probes, each the mean of the rounds that have it, to six significant digits. */
export function probeAverages(data: RunData, cell: ArmCell): Record<string, number> {
  const values = Object.entries(meansOf(data, cell));
  return Object.fromEntries(values.map(([name, value]) => [name, significant(value)]));
}

function meansOf(data: RunData, cell: ArmCell): ProbeValues {
  return data.merged([cell])?.probes ?? {};
}
