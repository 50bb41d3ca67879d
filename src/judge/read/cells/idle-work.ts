import type { IdleRecord } from '../../../journal/pass-records.ts';
import { type DatabaseColumn, databaseColumns } from '../../../journal/records.ts';

/** The work of some arms while no arm was under load, added up over rounds: it follows time and not requests. */
export interface IdleWork {
  /** Over which time the database's counters are known, and CPU; 0 where they never are. */
  readonly countersMs: number;
  readonly delta: Readonly<Record<DatabaseColumn, number>>;
  readonly tempBytes: number;
  readonly cpuKnownMs: number;
  /** CPU of the service and its database sessions together. */
  readonly cpuMs: number;
  /** Of it what goes on all the time. */
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
