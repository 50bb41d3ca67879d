import { cyclingClients } from './load-level.ts';
import { countAll, countOk } from './outcomes.ts';
import type { SliceRecord } from './slice-record.ts';

/** Facts of a slice that say if its answers outlast it. */
type Waited = Pick<SliceRecord, 'load' | 'outcomes' | 'whole' | 'wholeOk' | 'turns'>;

/**
 * The others' iterations stand for those of users who began none. Where these were slower by their kind, the rate is too
 * high by their share.
 */
const MOST_OUTLASTED_SHARE = 0.1;

/**
 * True if all connections waited through the part of a slice that counts, and were answered later, or each of k6's users
 * was in one iteration. Nothing began in it then, so it has neither a rate nor a latency: shares of time would say 2.3/s of
 * 1/s where requests stand in a queue. True as well where more than a tenth of k6's users were in one iteration.
 */
export function answersOutlastSlice({ load, outcomes, whole, wholeOk, turns }: Waited): boolean {
  const clients = cyclingClients(load);
  if (clients === null) return false;
  const outlasted = Math.max(0, ...(turns?.outlasted ?? []));
  if (countAll(outcomes) > 0 && outlasted <= MOST_OUTLASTED_SHARE * clients) return false;
  return countOk({ outcomes: whole, ...(wholeOk !== undefined && { ok: wholeOk }) }) > 0;
}
