import type { LoadLevel } from '../../journal/scenario-record.ts';
import type { StatementTotal } from '../read/cells/cell-detail.ts';
import { type StatementFailure, startOf } from '../read/cells/monitored.ts';
import type { RunData } from '../read/run-data.ts';
import { significant } from '../stats/rounding.ts';
import { type DiagnosedCell, diagnosedCells } from './diagnosed-cell.ts';

/** Statements listed for a cell: the others take next to no time. */
const MOST_LISTED = 10;

/** One of the statements that took most time in a cell. Per request: per answer of any status. */
export interface StatementSummary {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly statement: string;
  /** Its share of the time of all known statements of the cell (0..1). */
  readonly timeShare: number;
  readonly callsPerRequest: number;
  readonly meanMs: number;
  readonly msPerRequest: number;
  readonly rowsPerCall: number | null;
  /** Hit and read together. */
  readonly blocksPerRequest: number | null;
  readonly blocksReadPerRequest: number | null;
  readonly walBytesPerRequest: number | null;
  /** The change of the time per request against the control; null for the control and for statements that it did not run. */
  readonly deltaPercent: number | null;
}

/** The top statements of every cell by total time; none without an extension that counts them. */
export function topStatements(data: RunData, cpuCount: number): StatementSummary[] {
  return diagnosedCells(data, cpuCount).flatMap((cell) => {
    const all = [...cell.detail.statements].sort(([, a], [, b]) => b.total_ms - a.total_ms);
    const totalMs = all.reduce((sum, [, { total_ms }]) => sum + total_ms, 0);
    if (cell.detail.answered === 0 || totalMs === 0) return [];
    return all.slice(0, MOST_LISTED).map(([statement, total]) => summaryOf(cell, statement, total, totalMs));
  });
}

function summaryOf(
  { variant, load, detail, control }: DiagnosedCell,
  statement: string,
  total: StatementTotal,
  totalMs: number,
): StatementSummary {
  const perRequest = (value: number | null): number | null =>
    value === null ? null : significant(value / detail.answered);
  const before = control?.detail.statements.get(statement);
  const msBefore = before === undefined || control === null ? null : before.total_ms / control.detail.answered;
  const ms = total.total_ms / detail.answered;
  const blocks = total.blocks_hit === null || total.blocks_read === null ? null : total.blocks_hit + total.blocks_read;
  return {
    variant,
    load,
    statement,
    timeShare: significant(total.total_ms / totalMs),
    callsPerRequest: significant(total.calls / detail.answered),
    meanMs: significant(total.total_ms / Math.max(1, total.calls)),
    msPerRequest: significant(ms),
    rowsPerCall: total.rows === null ? null : significant(total.rows / Math.max(1, total.calls)),
    blocksPerRequest: perRequest(blocks),
    blocksReadPerRequest: perRequest(total.blocks_read),
    walBytesPerRequest: perRequest(total.wal_bytes),
    deltaPercent: msBefore === null || msBefore === 0 ? null : significant(100 * (ms / msBefore - 1)),
  };
}

/** Response times of a statement, and its plan. */
export interface ResponseTimesSummary {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly statement: string;
  /** Calls by class, as pg_stat_monitor names it (`0 - 1 ms`), in its order; classes without calls are left out. */
  readonly responseTimes: readonly (readonly [label: string, calls: number])[];
  /** Its nodes; null where none was reported. */
  readonly plan: string | null;
}

/** Calls of a statement that failed or warned. */
export interface StatementFailureSummary extends StatementFailure {
  readonly variant: string;
  readonly load: LoadLevel;
}

export interface MonitorSummary {
  readonly responseTimes: readonly ResponseTimesSummary[];
  readonly failures: readonly StatementFailureSummary[];
}

/** The facts of pg_stat_monitor, by cell; empty where it was not there. */
export function monitorSummary(data: RunData, cpuCount: number): MonitorSummary {
  const cells = diagnosedCells(data, cpuCount);
  const of = ({ variant, load }: DiagnosedCell) => ({ variant, load });
  return {
    responseTimes: cells.flatMap((cell) =>
      [...cell.detail.monitored.statements].map(([statement, { responseTimes, plan }]) => ({
        ...of(cell),
        statement,
        responseTimes: [...responseTimes].sort(([a], [b]) => startOf(a) - startOf(b)),
        plan,
      })),
    ),
    failures: cells.flatMap((cell) =>
      [...cell.detail.monitored.failures.values()].map((failure) => ({ ...of(cell), ...failure })),
    ),
  };
}
