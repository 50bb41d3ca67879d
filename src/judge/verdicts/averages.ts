import { once } from '../../base/async/once.ts';
import { countsRequests, traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { Caveat } from '../caveat.ts';
import { type BulkTotals, bulkCaveats, controlBulkCaveats } from '../read/cells/bulk-loads.ts';
import type { CellSample } from '../read/cells/cell-sample.ts';
import type { LatencyDistribution, PartSpreads } from '../read/cells/latency-counts.ts';
import type { Discarded, Uncounted } from '../read/cells/uncounted.ts';
import { longestWait, type MetricName, type UsualMetricName } from '../read/metrics/metrics.ts';
import { allMetrics } from '../read/metrics/work-metrics.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { significant, significantOrNull } from '../stats/rounding.ts';
import { caveatsOf } from './caveats.ts';
import { probeAverages } from './compare-probes.ts';
import { cellsOf, controlArms, otherVariants } from './contrasts.ts';

/** One arm's averages under one load level: a row of the tables. */
export interface Average {
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  readonly rounds: number;
  readonly metrics: Readonly<Record<UsualMetricName, number | null>>;
  /** The time of a bounded slice, the mean of rounds; null where a slice was not through when its limit came. Absent otherwise. */
  readonly durationMs?: number | null;
  /** Beside a job: the longest wait of a request, the mean of rounds. Absent otherwise. */
  readonly longestWaitMs?: number | null;
  /** The values of probes, by name; a name that the arm never had is left out. */
  readonly probes: Readonly<Record<string, number>>;
  /** Answers by status code, over all rounds. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly timeouts: number;
  /** At a rate: requests that were due and were not sent, since as many as may be were under way. Absent otherwise. */
  readonly unsent?: number;
  /** At a rate: how late requests were sent, the largest p99 of a slice. Latencies count from the moment at which they were due. */
  readonly sendLagP99Ms?: number;
  /** 2xx answers, over all rounds. */
  readonly ok: number;
  /** Answers other than 2xx, over all rounds. */
  readonly not_ok: number;
  /** The time that counts, over all rounds. */
  readonly windowMs: number;
  /** Received, head lines included, of the 2xx answers. */
  readonly bytes: number;
  /** The latencies of the 2xx answers, over all rounds; null where there are none. */
  readonly distribution: LatencyDistribution | null;
  /** The parts of those latencies, divided as `ab` does; null where they were not measured. */
  readonly parts: PartSpreads | null;
  /** Outcomes of requests that none of these numbers counts: of the warm-up, and outside the counted part of turns. */
  readonly uncounted: Uncounted;
  /** Outcomes of requests of discarded slices, which none of these numbers counts either. Absent where there are none. */
  readonly discarded?: Discarded;
  /** Why there are no numbers, where that is since most requests had no answer as expected: what most of those came to. */
  readonly unfinished: 'timeouts' | 'failures' | null;
  /** Where clearly more requests failed than the control's, or documents of a bulk load were lost; else empty. */
  readonly notes: readonly Caveat[];
  /** Why slices do not count, with how many of them, every attempt; most frequent first. */
  readonly voided: Readonly<Record<string, number>>;
  /** In how many rounds the arm's rate still ran away from the others' at the end of the warm-up. */
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
  const discarded = data.discarded(cell);
  // An arm whose slices are all discarded has no numbers, but it was there.
  if (sample === null && slices === 0) return null;
  const values = allMetrics.map(
    (metric) => [metric.name, significantOrNull(data.valueOverRounds(metric, [cell]))] as const,
  );
  return {
    variant: cell.variant,
    load: cell.load,
    repeat: cell.repeat,
    rounds: data.samples(cell).size,
    metrics: Object.fromEntries(values) as Record<UsualMetricName, number | null>,
    probes: probeAverages(data, cell),
    outcomes: Object.fromEntries(sample?.statuses ?? []),
    errors: sample?.errors ?? 0,
    timeouts: sample?.timeouts ?? 0,
    ...ofKind(sample),
    ...(sample !== null &&
      sample.beside !== null && { longestWaitMs: significantOrNull(data.valueOverRounds(longestWait, [cell])) }),
    ok: sample?.ok ?? 0,
    not_ok: sample?.notOk ?? 0,
    windowMs: significant(sample?.windowMs ?? 0),
    bytes: sample?.bytes ?? 0,
    distribution: data.latencies([cell])?.distribution() ?? null,
    parts: data.partsOf(cell),
    uncounted: data.uncounted([cell]),
    ...(discarded !== null && { discarded }),
    unfinished: unfinishedOf(sample, everything, cell),
    notes: caveatsOf(data, cell),
    voided: byReason,
    notSteady: data.unsteadyRounds(cell),
  };
}

/** The value of a metric in a row of the averages; null where it has none. */
export function averageValue(average: Average, name: MetricName): number | null {
  const { metrics, durationMs = null, longestWaitMs = null } = average;
  if (name === 'longest_wait_ms') return longestWaitMs;
  return name === 'duration_ms' ? durationMs : metrics[name];
}

/** Values that only some kinds of load have. */
function ofKind(sample: CellSample | null): Pick<Average, 'durationMs' | 'unsent' | 'sendLagP99Ms'> {
  if (sample === null) return {};
  const { bounded, sendLagP99Us, unsent } = sample;
  return {
    ...(bounded !== null && {
      durationMs: significantOrNull(bounded.durationMs === null ? null : bounded.durationMs / bounded.slices),
    }),
    ...(sendLagP99Us !== null && { unsent, sendLagP99Ms: significant(sendLagP99Us / 1000) }),
  };
}

/**
 * A slice that was not through when its limit came has as many answers as there was time for, and no number. Where a job
 * failed that is the job's time alone.
 */
function unfinishedOf(sample: CellSample | null, everything: () => RunData, cell: ArmCell): Average['unfinished'] {
  if (sample?.bounded?.durationMs === null) {
    if (traitsOf(cell.load).isBesideJob) return null;
    return countsRequests(cell.load) || sample.timeouts > 0 ? 'timeouts' : 'failures';
  }
  return (sample?.ok ?? 0) > 0 ? null : unfinishedBy(everything().merged([cell]));
}

function unfinishedBy(sample: CellSample | null): Average['unfinished'] {
  if (sample === null) return null;
  const { ok, notOk, errors, timeouts, unsent } = sample;
  const failed = notOk + errors + timeouts + unsent;
  if (failed <= ok) return null;
  return 2 * timeouts >= failed ? 'timeouts' : 'failures';
}

/** The bulk loads of one arm over all complete rounds. */
export interface BulkSummary extends BulkTotals {
  readonly variant: string;
  readonly load: LoadLevel;
  /** True for the control's second arm (A/A). */
  readonly repeat: boolean;
  /** Why its time is no fair comparison; empty where it is one. */
  readonly notes: readonly Caveat[];
}

/** The bulk loads of every arm, the control's first. Empty where the run has none. */
export function summarizeBulk(data: RunData): BulkSummary[] {
  return cellsOf(data).flatMap((cell) => {
    const totals = data.bulk([cell]);
    if (totals === null) return [];
    const { load } = cell;
    const others = otherVariants(data).map((variant) => ({ variant, load, repeat: false }));
    const isControl = cell.variant === data.scenario.control;
    const notes = isControl
      ? controlBulkCaveats(totals, data.bulk(others), data.scenario.load)
      : bulkCaveats(totals, data.bulk(controlArms(data, load)), data.scenario.load);
    return [{ ...cell, ...totals, totalMs: significant(totals.totalMs), notes }];
  });
}
