import type { CountersRecord, SliceRecord, VoidReason } from '../journal/records.ts';
import type { LoadSpec } from '../journal/scenario-record.ts';

/**
 * How far committed transactions may be from those that the answers account for: retries after a lock conflict commit
 * once, but health checks, a pool that opens connections and autovacuum's own commits are counted too.
 */
const MOST_DIFFERENCE_SHARE = 0.02;
const MOST_DIFFERENCE = 60;

/** Why a slice does not count: what was found when it was measured, and what only its complete counters could tell. */
export function voidReasonsOf(
  slice: SliceRecord,
  counters: CountersRecord | null,
  load: LoadSpec,
): readonly VoidReason[] {
  const voided = slice.voided ?? [];
  return counters !== null && miscounts(slice, counters, load) ? [...voided, 'transactions'] : voided;
}

/**
 * Whether the database committed something else than what was answered: work that goes on behind the answers, answers
 * without work, or somebody else at the database. A failed request may have committed or not.
 */
function miscounts({ whole }: SliceRecord, { delta }: CountersRecord, { transactionsPerRequest }: LoadSpec): boolean {
  if (transactionsPerRequest === undefined) return false;
  let [ok, failed] = [0, whole.errors + whole.timeouts];
  for (const [status, count] of Object.entries(whole.statuses)) {
    if (status.startsWith('2')) ok += count;
    else failed += count;
  }
  const least = ok * transactionsPerRequest;
  const most = (ok + failed) * transactionsPerRequest;
  const tolerance = MOST_DIFFERENCE_SHARE * most + MOST_DIFFERENCE;
  return delta.xact_commit < least - tolerance || delta.xact_commit > most + tolerance;
}
