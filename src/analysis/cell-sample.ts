import {
  type CountersRecord,
  type DatabaseColumn,
  databaseColumns,
  type OutcomesRecord,
  type SliceRecord,
} from '../journal/records.ts';
import type { LatencyFigures } from './latency-counts.ts';

/** What was counted in some slices of one cell, merged. */
export interface CellSample {
  readonly windowMs: number;
  readonly outcomes: OutcomesRecord;
  /** 2xx answers. */
  readonly ok: number;
  /** Answers with any other status. */
  readonly notOk: number;
  readonly bytes: number;
  /** Of the 2xx answers; null where histograms were left alone. */
  readonly latency: LatencyFigures | null;
  /** Null where no slice has counters (no probe, a URL target). */
  readonly database: DatabaseSample | null;
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
}

/** Merges slices of one cell: counts and windows are added up. Their latencies are merged elsewhere. */
export function sampleOf(measured: readonly MeasuredSlice[], latency: LatencyFigures | null): CellSample {
  const slices = measured.map(({ slice }) => slice);
  const database = mergeCounters(measured.flatMap(({ counters }) => (counters === null ? [] : [counters])));
  return build(slices, { latency, database });
}

/** Merges samples: those of a cell's rounds, or of several cells. Their latencies are merged elsewhere. */
export function mergeSamples(samples: readonly CellSample[], latency: LatencyFigures | null): CellSample {
  return build(samples, { latency, database: mergeCounters(samples.flatMap(({ database }) => database ?? [])) });
}

function build(
  parts: readonly Pick<CellSample, 'windowMs' | 'outcomes' | 'bytes'>[],
  rest: Pick<CellSample, 'latency' | 'database'>,
): CellSample {
  const outcomes = mergeOutcomes(parts.map((part) => part.outcomes));
  const [ok, all] = [countStatuses(outcomes, isOk), countStatuses(outcomes, () => true)];
  return {
    windowMs: sum(parts.map(({ windowMs }) => windowMs)),
    outcomes,
    ok,
    notOk: all - ok,
    bytes: sum(parts.map(({ bytes }) => bytes)),
    ...rest,
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
