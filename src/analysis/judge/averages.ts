import { once } from '../../base/once.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import type { Caveat } from '../notes.ts';
import type { CellSample } from '../read/cells/cell-sample.ts';
import type { LatencyDistribution } from '../read/cells/latency-counts.ts';
import type { PartSpreads } from '../read/cells/part-counts.ts';
import type { Uncounted } from '../read/cells/uncounted.ts';
import type { MetricName } from '../read/metrics/metrics.ts';
import { allMetrics } from '../read/metrics/work-metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { caveatsOf } from './caveats.ts';
import { probeAverages } from './compare-probes.ts';
import { cellsOf } from './contrasts.ts';

/** One arm's averages under one load level: a row of the tables. */
export interface Average {
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  readonly rounds: number;
  readonly metrics: Readonly<Record<MetricName, number | null>>;
  /** The values of probes, by name; a name that the arm never had is left out. */
  readonly probes: Readonly<Record<string, number>>;
  /** Answers by status code, over all rounds. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly timeouts: number;
  /** 2xx answers, over all rounds. */
  readonly ok: number;
  /** Answers other than 2xx, over all rounds. */
  readonly not_ok: number;
  /** The time that counts, over all rounds. */
  readonly windowMs: number;
  /** Received, head lines included, of the 2xx answers. */
  readonly bytes: number;
  /** Of the 2xx answers, over all rounds; null where there are none. */
  readonly distribution: LatencyDistribution | null;
  /** The parts of those latencies, told apart as `ab` does; null where they were not measured. */
  readonly parts: PartSpreads | null;
  /** The outcomes of the requests that none of these numbers counts: those of the warm-up, and those outside the counted part of turns. */
  readonly uncounted: Uncounted;
  /** Why there are no numbers, where that is since most requests had no answer as expected: what most of those came to. */
  readonly unfinished: 'timeouts' | 'failures' | null;
  /** Where clearly more requests failed than the control's, or documents of a bulk load were lost; else empty. */
  readonly notes: readonly Caveat[];
  /** Why slices do not count, with how many of them, every attempt; most frequent first. */
  readonly voided: Readonly<Record<string, number>>;
  /** In how many rounds the arm's rate still ran away from the others' at the end of the warm-up (old journals: was not flat). */
  readonly notSteady: number;
}

/** The averages of every arm, by load level: the control first, then its repeat, then the others as in the scenario. */
export function averagesOf(data: RunData): Average[] {
  const everything = once(() => data.withVoidSlices());
  return cellsOf(data).flatMap((cell) => averageOf(data, cell, everything) ?? []);
}

function averageOf(data: RunData, cell: ArmCell, everything: () => RunData): Average | null {
  const sample = data.merged([cell]);
  const { slices, byReason } = data.voidsOf([cell]);
  // An arm all of whose slices are void has no numbers, but it was there.
  if (sample === null && slices === 0) return null;
  const values = allMetrics.map((metric) => {
    const value = data.valueOverRounds(metric, [cell]);
    return [metric.name, value === null ? null : significant(value)] as const;
  });
  return {
    variant: cell.variant,
    load: cell.load,
    repeat: cell.repeat,
    rounds: data.samples(cell).size,
    metrics: Object.fromEntries(values) as Record<MetricName, number | null>,
    probes: probeAverages(data, cell),
    outcomes: Object.fromEntries(sample?.statuses ?? []),
    errors: sample?.errors ?? 0,
    timeouts: sample?.timeouts ?? 0,
    ok: sample?.ok ?? 0,
    not_ok: sample?.notOk ?? 0,
    windowMs: significant(sample?.windowMs ?? 0),
    bytes: sample?.bytes ?? 0,
    distribution: data.latencies([cell])?.distribution() ?? null,
    parts: data.partsOf(cell),
    uncounted: data.uncounted([cell]),
    unfinished: (sample?.ok ?? 0) > 0 ? null : unfinishedBy(everything().merged([cell])),
    notes: caveatsOf(data, cell),
    voided: byReason,
    notSteady: data.unsteadyRounds(cell),
  };
}

function unfinishedBy(sample: CellSample | null): Average['unfinished'] {
  if (sample === null) return null;
  const { ok, notOk, errors, timeouts } = sample;
  const failed = notOk + errors + timeouts;
  if (failed <= ok) return null;
  return 2 * timeouts >= failed ? 'timeouts' : 'failures';
}
