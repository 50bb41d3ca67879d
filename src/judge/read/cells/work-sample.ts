import { countAll } from '../../../journal/outcomes.ts';
import type { IdleRecord } from '../../../journal/pass-records.ts';
import { type DatabaseColumn, databaseColumns, type ProbeRecord } from '../../../journal/records.ts';
import type { BackgroundRecord } from '../../../journal/slice-record.ts';
import type { MeasuredSlice } from '../rounds/complete-rounds.ts';

/** A count of a slice, and the time over which it was counted; null or undefined where it was not. */
type Counted = readonly [count: number | null | undefined, wallMs: number | null];

/**
 * Counts beside the database's own counters. Statements, background processes and data files are counted from the beginning
 * of a pass to its end; CPU and WAL of sessions in the arm's own turns. The run watches what an arm does in other arms'
 * turns, and returns to whole slices where it is much. Data files and WAL between turns are the arm's only where its server
 * is.
 */
const counters = {
  statements: ({ probes, pass }) => [ofStatements(probes, 'statement_calls'), pass?.durationMs ?? null],
  walImages: ({ probes, pass }) => [ofStatements(probes, 'statement_wal_images'), pass?.durationMs ?? null],
  walBytes: (measured) => [measured.slice.work?.walBytes, turnsMs(measured)],
  laterWalBytes: ({ slice, pass }) => [ofOwnServer(slice)?.laterWalBytes, pass?.durationMs ?? null],
  dataBytes: ({ slice, pass }) => [ofOwnServer(slice)?.dataBytes, pass?.durationMs ?? null],
  serviceCpuMs: (measured) => [measured.slice.work?.serviceCpuMs, turnsMs(measured)],
  postgresCpuMs: (measured) => [measured.slice.work?.postgresCpuMs, turnsMs(measured)],
  backgroundCpuMs: ({ slice, pass }) => [slice.work?.background?.cpuMs, pass?.durationMs ?? null],
  idleCpuMs: ({ slice }) => [slice.work?.idleCpuMs, slice.work?.idleMs ?? 0],
} as const satisfies Record<string, (measured: MeasuredSlice) => Counted>;

type CountedName = keyof typeof counters;

const countedNames = Object.keys(counters) as CountedName[];

function turnsMs({ slice, pass }: MeasuredSlice): number | null {
  return pass === null ? null : slice.loadMs;
}

function ofOwnServer({ work }: MeasuredSlice['slice']): BackgroundRecord | undefined {
  return work?.background?.arms === 1 ? work.background : undefined;
}

/** Something that was counted, for how many requests, and over which time. */
export interface WorkTally {
  readonly count: number;
  /**
   * All that were sent in what is covered, whatever became of them: the service and its database worked for a request
   * that failed, too.
   */
  readonly requests: number;
  /**
   * How long the clock ran over what is covered, in milliseconds: what follows time continues in other arms' turns. Null
   * where that is not known.
   */
  readonly wallMs: number | null;
}

export type WorkSample = Readonly<Partial<Record<CountedName, WorkTally>>>;

/** The work of some slices of a cell, merged. */
export function workOf(measured: readonly MeasuredSlice[]): WorkSample {
  return mergeWork(measured.map(workOfSlice));
}

/** Adds up work, each kind over those that have it. */
export function mergeWork(all: readonly WorkSample[]): WorkSample {
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  const merged: Partial<Record<CountedName, WorkTally>> = {};
  for (const name of countedNames) {
    const tallies = all.flatMap((work) => work[name] ?? []);
    if (tallies.length > 0) merged[name] = tallies.reduce(addTallies);
  }
  return merged;
}

function addTallies(a: WorkTally, b: WorkTally): WorkTally {
  return {
    count: a.count + b.count,
    requests: a.requests + b.requests,
    wallMs: a.wallMs === null || b.wallMs === null ? null : a.wallMs + b.wallMs,
  };
}

/** Both as one, over the requests of the first; the second is part of it where it is known. */
export function together(first: WorkTally | undefined, second: WorkTally | undefined): WorkTally | null {
  if (first === undefined) return null;
  if (second === undefined || second.requests === 0) return first;
  return { ...first, count: first.count + (second.count * first.requests) / second.requests };
}

function workOfSlice(measured: MeasuredSlice): WorkSample {
  const requests = countAll(measured.slice.whole);
  const sample: Partial<Record<CountedName, WorkTally>> = {};
  for (const name of countedNames) {
    const [count, wallMs] = counters[name](measured);
    if (count !== null && count !== undefined) sample[name] = { count, requests, wallMs };
  }
  return sample;
}

/** pg_stat_statements' where both extensions tell: pg_stat_monitor can lose calls between its buckets. */
function ofStatements(probes: readonly ProbeRecord[], value: string): number | undefined {
  const valueIn = (name: string): number | undefined => probes.findLast(({ probe }) => probe === name)?.values[value];
  return valueIn('pg-stat-statements') ?? valueIn('pg-stat-monitor');
}

/** The work of some arms while no arm was under load, added up over rounds: it follows time and not requests. */
export interface IdleWork {
  /** Over which time the database's counters are known, and CPU; 0 where they never are. */
  readonly countersMs: number;
  readonly delta: Readonly<Record<DatabaseColumn, number>>;
  readonly tempBytes: number;
  readonly cpuKnownMs: number;
  /** CPU of the service and its database sessions together. */
  readonly cpuMs: number;
  /** CPU of work that continues all the time. */
  readonly restingCpuMs: number;
  /** Over which time CPU of the server's background processes is known, and how much of it was the arms'. */
  readonly backgroundKnownMs: number;
  readonly backgroundCpuMs: number;
}

/** Adds up idle stretches. */
export function idleWorkOf(records: readonly IdleRecord[]): IdleWork {
  const sum = {
    countersMs: 0,
    delta: { ...noCounters },
    tempBytes: 0,
    cpuKnownMs: 0,
    cpuMs: 0,
    restingCpuMs: 0,
    backgroundKnownMs: 0,
    backgroundCpuMs: 0,
  };
  for (const { durationMs, delta, cpuMs, restingCpuMs, backgroundCpuMs } of records) {
    if (delta !== null) {
      sum.countersMs += durationMs;
      for (const column of databaseColumns) sum.delta[column] += delta[column];
      sum.tempBytes += delta.temp_bytes ?? 0;
    }
    if (cpuMs !== null) {
      sum.cpuKnownMs += durationMs;
      sum.cpuMs += cpuMs;
      sum.restingCpuMs += restingCpuMs ?? cpuMs;
    }
    if (backgroundCpuMs !== undefined) {
      sum.backgroundKnownMs += durationMs;
      sum.backgroundCpuMs += backgroundCpuMs;
    }
  }
  return sum;
}

const noCounters = Object.fromEntries(databaseColumns.map((column) => [column, 0])) as Record<DatabaseColumn, number>;
