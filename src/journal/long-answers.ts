import { cyclingClients } from './load-level.ts';
import { countAll, countOk } from './outcomes.ts';
import type { SliceRecord } from './slice-record.ts';

/** Facts of a slice that say if its answers outlast it. */
type Waited = Pick<SliceRecord, 'load' | 'outcomes' | 'whole' | 'wholeOk'>;

/**
 * True if all connections waited through the part of a slice that counts, and were answered later, or each of k6's users
 * was in one iteration. Nothing began in it then, so it has neither a rate nor a latency: shares of time would say 2.3/s of
 * 1/s where requests stand in a queue.
 */
export function answersOutlastSlice({ load, outcomes, whole, wholeOk }: Waited): boolean {
  if (cyclingClients(load) === null || countAll(outcomes) > 0) return false;
  return countOk({ outcomes: whole, ...(wholeOk !== undefined && { ok: wholeOk }) }) > 0;
}
