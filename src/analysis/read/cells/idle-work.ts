import type { IdleRecord } from '../../../journal/pass-records.ts';
import { type DatabaseColumn, databaseColumns } from '../../../journal/records.ts';

/** The work of some arms while no arm was under load, added up over rounds: it follows time and not requests. */
export interface IdleWork {
  /** Over which time the database's counters are known, and CPU; 0 where they never are. */
  readonly countersMs: number;
  readonly delta: Readonly<Record<DatabaseColumn, number>>;
  readonly cpuKnownMs: number;
  /** CPU of the service and its database sessions together. */
  readonly cpuMs: number;
}

/** Adds up idle stretches. */
export function idleWorkOf(records: readonly IdleRecord[]): IdleWork {
  const sum = { countersMs: 0, delta: { ...noCounters }, cpuKnownMs: 0, cpuMs: 0 };
  for (const { durationMs, delta, cpuMs } of records) {
    if (delta !== null) {
      sum.countersMs += durationMs;
      for (const column of databaseColumns) sum.delta[column] += delta[column];
    }
    if (cpuMs !== null) {
      sum.cpuKnownMs += durationMs;
      sum.cpuMs += cpuMs;
    }
  }
  return sum;
}

const noCounters = Object.fromEntries(databaseColumns.map((column) => [column, 0])) as Record<DatabaseColumn, number>;
