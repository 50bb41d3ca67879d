import type { LoadLevel } from '../../journal/scenario-record.ts';
import { type StatementFailure, startOf } from '../read/cells/monitored.ts';
import type { RunData } from '../read/run-data.ts';
import { type DiagnosedCell, diagnosedCells } from './diagnosed-cell.ts';

/** How many calls of a statement were answered how fast, and by which plan. */
export interface ResponseTimesSummary {
  readonly variant: string;
  readonly load: LoadLevel;
  readonly statement: string;
  /** Calls by class, as pg_stat_monitor names it (`0 - 1 ms`), in its order; classes without calls are left out. */
  readonly responseTimes: readonly (readonly [label: string, calls: number])[];
  /** Its nodes; null where none was told. */
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
