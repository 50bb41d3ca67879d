import { answersOutlastSlice } from '../../../journal/long-answers.ts';
import { countAll, countOk } from '../../../journal/outcomes.ts';
import type { CountersRecord, OutcomesRecord, SliceRecord, VoidReason } from '../../../journal/records.ts';
import type { LoadSpec, ResolvedScenario } from '../../../journal/scenario-record.ts';

/**
 * How far committed transactions may be from the answers. Retries after a lock conflict commit once; health checks, a
 * pool that opens connections and autovacuum's own commits are counted too.
 */
const MOST_DIFFERENCE_SHARE = 0.02;
/** Transactions of a slice that are not its requests': health checks, new connections of a pool, probes. */
export const OTHER_TRANSACTIONS = 60;

/** Why a slice does not count: what was found when it was measured, and what only its complete counters could tell. */
export function voidReasonsOf(
  slice: SliceRecord,
  counters: CountersRecord | null,
  { load }: ResolvedScenario,
): readonly VoidReason[] {
  const measured = slice.voided ?? [];
  // Old journals do not say it.
  const isUnsaid = answersOutlastSlice(slice) && !measured.includes('long answers');
  const known = isUnsaid ? ([...measured, 'long answers'] as const) : measured;
  return counters !== null && miscounts(slice, counters, load) ? [...known, 'transactions'] : known;
}

/** Outcomes of the requests that an arm's counters cover: all of the slice, or a part of it. */
export function coveredOutcomes(slice: SliceRecord, counters: CountersRecord): OutcomesRecord {
  return counters.whole ?? slice.whole;
}

/**
 * True where the database committed something other than what was answered: work behind the answers, answers without
 * work, or another client of the database. A failed request may have committed or not.
 */
function miscounts(slice: SliceRecord, counters: CountersRecord, { transactionsPerRequest }: LoadSpec): boolean {
  if (transactionsPerRequest === undefined) return false;
  const covered = coveredOutcomes(slice, counters);
  const all = countAll(covered);
  const least = countOk({ outcomes: covered }) * transactionsPerRequest;
  const most = all * transactionsPerRequest;
  const tolerance = MOST_DIFFERENCE_SHARE * most + OTHER_TRANSACTIONS;
  const committed = counters.delta.xact_commit;
  return committed < least - tolerance || committed > most + tolerance;
}
