import { byName as emptyByName } from '../base/by-name.ts';
import { byName, count, fields, optional, type ValueOf } from './shape.ts';

/** Counts of answers by status code ('200'), and of requests that got none. */
export interface OutcomesRecord extends ValueOf<typeof outcomesRecord> {}
export const outcomesRecord = fields({
  statuses: byName(count),
  errors: count,
  timeouts: count,
  /** Requests of an open loop that were due and were not sent, since as many as may be were under way. Absent where none. */
  unsent: optional(count),
});

/** Counts the answers as expected in a slice's window: any 2xx, where the scenario declares nothing else. */
export function countOk({ ok, outcomes }: { readonly ok?: number; readonly outcomes: OutcomesRecord }): number {
  if (ok !== undefined) return ok;
  return Object.entries(outcomes.statuses).reduce(
    (sum, [status, count]) => sum + (status.startsWith('2') ? count : 0),
    0,
  );
}

/** The part of a slice that says how often the service closed a connection. */
interface Closing {
  readonly whole: OutcomesRecord;
  readonly connections?: { readonly closingAnswers: number };
}

/** A service closes each time where all answers but this share say so. */
const MOST_OTHER_ANSWERS = 0.05;

/**
 * True if the service closed the connection after each answer of a slice. Connecting is then part of its cost, in every slice
 * and every latency alike.
 */
export function closesAfterEachAnswer({ whole, connections }: Closing): boolean {
  const closing = connections?.closingAnswers ?? 0;
  return closing > 0 && closing >= (1 - MOST_OTHER_ANSWERS) * countAll(whole);
}

/** Adds up what came of several lots of requests. */
export function sumOutcomes(all: readonly OutcomesRecord[]): OutcomesRecord {
  const statuses = emptyByName<number>();
  let [errors, timeouts, unsent] = [0, 0, 0];
  for (const outcomes of all) {
    errors += outcomes.errors;
    timeouts += outcomes.timeouts;
    unsent += outcomes.unsent ?? 0;
    for (const [status, count] of Object.entries(outcomes.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  return { statuses, errors, timeouts, ...(unsent > 0 && { unsent }) };
}

/** All that came of the requests: answers of any status, errors, timeouts, and what was never sent. */
export function countAll({ statuses, errors, timeouts, unsent = 0 }: OutcomesRecord): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, errors + timeouts + unsent);
}
