import { byName } from '../base/by-name.ts';
import type { OutcomesRecord, SliceRecord } from './records.ts';

/** Of a slice's window, the answers as expected: any 2xx, where the scenario declares nothing else. */
export function countOk({ ok, outcomes }: Pick<SliceRecord, 'ok' | 'outcomes'>): number {
  if (ok !== undefined) return ok;
  return Object.entries(outcomes.statuses).reduce(
    (sum, [status, count]) => sum + (status.startsWith('2') ? count : 0),
    0,
  );
}

/** Adds up what came of several lots of requests. */
export function sumOutcomes(all: readonly OutcomesRecord[]): OutcomesRecord {
  const statuses = byName<number>();
  let [errors, timeouts] = [0, 0];
  for (const outcomes of all) {
    errors += outcomes.errors;
    timeouts += outcomes.timeouts;
    for (const [status, count] of Object.entries(outcomes.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  return { statuses, errors, timeouts };
}

/** All that came of the requests: answers of any status, errors and timeouts. */
export function countAll({ statuses, errors, timeouts }: OutcomesRecord): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, errors + timeouts);
}
