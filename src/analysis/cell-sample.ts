import {
  type CountersRecord,
  type DatabaseColumn,
  databaseColumns,
  type OutcomesRecord,
  type ProbeRecord,
  type SliceRecord,
} from '../journal/records.ts';
import { mean } from '../stats/moments.ts';
import { countsOf, figuresOf, type LatencyCounts, type LatencyFigures, mergeCounts } from './latency-counts.ts';
import { meanValues, type ProbeValues, valuesOf } from './probe-values.ts';

/** What was counted in some slices of one cell, merged. */
export interface CellSample {
  readonly windowMs: number;
  readonly outcomes: OutcomesRecord;
  /** 2xx answers. */
  readonly ok: number;
  /** Answers with any other status. */
  readonly notOk: number;
  readonly bytes: number;
  /** Of the 2xx answers. Merged when first asked for, since decoding histograms is most of the work of judging. */
  latency(): LatencyFigures;
  /** The same as counts, for merging with others. */
  latencyCounts(): LatencyCounts;
  /** Null where no slice has counters (no probe, a URL target). */
  readonly database: DatabaseSample | null;
  /** The load generator's event loop utilisation (0..1), the mean of the slices. */
  readonly generatorUtilisation: number;
  /** What probes saw, the mean of the slices. Worked out when first asked for: there are many, and few who ask. */
  probes(): ProbeValues;
}

interface DatabaseSample {
  /** Of the slices that have counters. */
  readonly loadMs: number;
  readonly delta: Readonly<Record<DatabaseColumn, number>>;
}

/** A slice with its database counters, where it has any. */
export interface MeasuredSlice {
  readonly slice: SliceRecord;
  readonly counters: CountersRecord | null;
  readonly probes: readonly ProbeRecord[];
}

/** Merges slices of one cell: counts and windows are added up, latency histograms merged. */
export function sampleOf(measured: readonly MeasuredSlice[]): CellSample {
  const slices = measured.map(({ slice }) => slice);
  const [first] = slices;
  const latencies = slices.map((slice) => slice.latency);
  // Of a single slice the record says it all, and decoding it again is cheaper than keeping it decoded.
  const latencyCounts = slices.length === 1 ? () => countsOf(latencies) : once(() => countsOf(latencies));
  return build({
    windowMs: sum(slices.map((slice) => slice.windowMs)),
    outcomes:
      first !== undefined && slices.length === 1
        ? first.outcomes
        : mergeOutcomes(slices.map((slice) => slice.outcomes)),
    bytes: sum(slices.map((slice) => slice.bytes)),
    latencyCounts,
    latency: first !== undefined && slices.length === 1 ? () => first.latency : once(() => figuresOf(latencyCounts())),
    database: mergeCounters(measured.flatMap(({ counters }) => (counters === null ? [] : [counters]))),
    generatorUtilisation: mean(slices.map(({ generator }) => generator.eventLoopUtilisation)),
    probes: once(() => meanValues(measured.map(({ probes }) => valuesOf(probes)))),
  });
}

/** Merges samples: those of a cell's rounds, or of several cells. */
export function mergeSamples(samples: readonly CellSample[]): CellSample {
  const latencyCounts = once(() => mergeCounts(samples));
  return build({
    windowMs: sum(samples.map(({ windowMs }) => windowMs)),
    outcomes: mergeOutcomes(samples.map(({ outcomes }) => outcomes)),
    bytes: sum(samples.map(({ bytes }) => bytes)),
    latencyCounts,
    latency: once(() => figuresOf(latencyCounts())),
    database: mergeCounters(samples.flatMap(({ database }) => database ?? [])),
    generatorUtilisation: mean(samples.map(({ generatorUtilisation }) => generatorUtilisation)),
    probes: once(() => meanValues(samples.map(({ probes }) => probes()))),
  });
}

function build(parts: Omit<CellSample, 'ok' | 'notOk'>): CellSample {
  const ok = countStatuses(parts.outcomes, isOk);
  return { ...parts, ok, notOk: countStatuses(parts.outcomes, (status) => !isOk(status)) };
}

function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | null = null;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

function isOk(status: string): boolean {
  return status.startsWith('2');
}

function countStatuses(outcomes: OutcomesRecord, counts: (status: string) => boolean): number {
  return sum(Object.entries(outcomes.statuses).map(([status, count]) => (counts(status) ? count : 0)));
}

function mergeOutcomes(all: readonly OutcomesRecord[]): OutcomesRecord {
  const statuses: Record<string, number> = {};
  for (const outcomes of all) {
    for (const [status, count] of Object.entries(outcomes.statuses)) {
      statuses[status] = (statuses[status] ?? 0) + count;
    }
  }
  return {
    statuses,
    errors: sum(all.map((outcomes) => outcomes.errors)),
    timeouts: sum(all.map((outcomes) => outcomes.timeouts)),
  };
}

function mergeCounters(all: readonly DatabaseSample[]): DatabaseSample | null {
  if (all.length === 0) return null;
  const entries = databaseColumns.map((column) => [column, sum(all.map((record) => record.delta[column]))] as const);
  return {
    loadMs: sum(all.map((record) => record.loadMs)),
    delta: Object.fromEntries(entries) as Record<DatabaseColumn, number>,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
