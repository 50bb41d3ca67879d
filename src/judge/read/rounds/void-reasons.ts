import { countAll, countOk } from '../../../journal/outcomes.ts';
import {
  type CountersRecord,
  type OutcomesRecord,
  type SliceRecord,
  type VoidReason,
  voidReasons,
} from '../../../journal/records.ts';
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
  scenario: ResolvedScenario,
): readonly VoidReason[] {
  const measured = slice.pass === undefined ? reasonsOfOld(slice, scenario) : (slice.voided ?? []);
  return counters !== null && miscounts(slice, counters, scenario.load) ? [...measured, 'transactions'] : measured;
}

/** Outcomes of the requests that an arm's counters cover: all of the slice, or a part of it. */
export function coveredOutcomes(slice: SliceRecord, counters: CountersRecord): OutcomesRecord {
  return counters.whole ?? slice.whole;
}

/**
 * The reasons of a journal of version 0.1 that are still reasons: those of the machine around (cpu steal, checkpoint and
 * their like) are noise now. A full listen queue went by the name of retransmits, and retransmits on loopback are noise.
 */
function reasonsOfOld({ voided = [], conditions }: SliceRecord, scenario: ResolvedScenario): VoidReason[] {
  const isKnown = (reason: string): reason is VoidReason => (voidReasons as readonly string[]).includes(reason);
  return voided.filter(isKnown).flatMap((reason) => {
    if (reason !== 'retransmits') return [reason];
    if ((conditions?.listenOverflows ?? 0) > 0) return ['listen overflow'];
    return isRemote(scenario) ? [reason] : [];
  });
}

/** True where load goes over a real network: only a target that somebody else started can be elsewhere. */
function isRemote({ target, variants }: ResolvedScenario): boolean {
  if (target.kind !== 'url') return false;
  return [target.url, ...variants.flatMap(({ url }) => url ?? [])].some((url) => {
    // One that is masked is of a journal that has no such reasons.
    if (!URL.canParse(url)) return false;
    const host = new URL(url).hostname;
    return host !== 'localhost' && host !== '[::1]' && !host.startsWith('127.');
  });
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
