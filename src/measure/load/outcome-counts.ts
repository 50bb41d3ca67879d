import type { OutcomesRecord } from '../../journal/records.ts';

/** Outcomes of requests while they are counted. */
export interface Outcomes {
  statuses: Map<number, number>;
  errors: number;
  timeouts: number;
  unsent: number;
}

export function newOutcomes(): Outcomes {
  return { statuses: new Map(), errors: 0, timeouts: 0, unsent: 0 };
}

/** Counts an answer of that status. */
export function countStatus(outcomes: Outcomes, status: number): void {
  outcomes.statuses.set(status, (outcomes.statuses.get(status) ?? 0) + 1);
}

/** Adds outcomes to a sum. */
export function addOutcomes(sum: Outcomes, { statuses, errors, timeouts, unsent }: Outcomes): void {
  for (const [status, requests] of statuses) sum.statuses.set(status, (sum.statuses.get(status) ?? 0) + requests);
  sum.errors += errors;
  sum.timeouts += timeouts;
  sum.unsent += unsent;
}

/** The outcomes as a journal has them, statuses in order. */
export function toRecord({ statuses, errors, timeouts, unsent }: Outcomes): OutcomesRecord {
  const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, requests]) => [String(status), requests]);
  return { statuses: Object.fromEntries(byStatus), errors, timeouts, ...(unsent > 0 && { unsent }) };
}
