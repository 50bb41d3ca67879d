import { addTo } from '../../../base/group-by.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { ProbeRecord, SliceRecord } from '../../../journal/records.ts';
import { probeValue } from '../metrics/metric-aliases.ts';

/** Errors that Postgres logged beside the requests of some slices. */
export interface Logged {
  /** Requests of the slices whose server's log was read. */
  requests: number;
  /** Requests without a 2xx answer as expected. */
  failed: number;
  /** Errors, but for those that services try again after: locks, deadlocks, serialization, and what follows in their transactions. */
  errors: number;
  /** These by their message, without names and numbers. */
  readonly messages: Map<string, number>;
  /** All errors by their message and SQLSTATE: `deadlock detected (40P01)`. */
  readonly all: Map<string, number>;
  /** How often each statement failed by a lock, a deadlock or serialization. */
  readonly lockFailures: Map<string, number>;
}

const triedAgain = [
  'loggedDeadlocks',
  'lockTimeouts',
  'lockNotAvailable',
  'serializationFailures',
  'abortedTransactions',
] as const;

/** SQLSTATEs that services try again after; a lock timeout has the one of a lock that is not available. */
const lockStates: ReadonlySet<unknown> = new Set(['40P01', '55P03', '40001']);
const triedAgainStates: ReadonlySet<unknown> = new Set([...lockStates, '25P02']);
const errorSeverities: ReadonlySet<unknown> = new Set(['ERROR', 'FATAL', 'PANIC']);

/** A journal of many nights must not fill the memory. */
const MOST_TEXTS = 40;

/** Nothing logged yet. */
export function newLogged(): Logged {
  return { requests: 0, failed: 0, errors: 0, messages: new Map(), all: new Map(), lockFailures: new Map() };
}

/** Adds a slice and what the server's log has of it. */
export function addLogged(
  logged: Logged,
  { whole, wholeOk }: Pick<SliceRecord, 'whole' | 'wholeOk'>,
  { values, rows = [] }: Pick<ProbeRecord, 'values' | 'rows'>,
): void {
  const requests = countAll(whole) - (whole.unsent ?? 0);
  const answered2xx = Object.entries(whole.statuses).reduce(
    (sum, [status, count]) => sum + (status.startsWith('2') ? count : 0),
    0,
  );
  const again = triedAgain.reduce((sum, name) => sum + (probeValue(values, name) ?? 0), 0);
  logged.requests += requests;
  logged.failed += requests - Math.min(answered2xx, wholeOk ?? answered2xx);
  logged.errors += Math.max(0, (probeValue(values, 'loggedErrors') ?? 0) - again);
  for (const { severity, sqlstate, message, statement, count } of rows) {
    if (!errorSeverities.has(severity) || typeof count !== 'number') continue;
    if (typeof message === 'string')
      addBounded(logged.all, typeof sqlstate === 'string' ? `${message} (${sqlstate})` : message, count);
    if (lockStates.has(sqlstate) && typeof statement === 'string') addBounded(logged.lockFailures, statement, count);
    if (typeof message === 'string' && !triedAgainStates.has(sqlstate)) addBounded(logged.messages, message, count);
  }
}

/** Adds what another cell logged. */
export function addAllLogged(to: Logged, from: Logged): void {
  to.requests += from.requests;
  to.failed += from.failed;
  to.errors += from.errors;
  for (const [message, count] of from.messages) addBounded(to.messages, message, count);
  for (const [message, count] of from.all) addBounded(to.all, message, count);
  for (const [statement, count] of from.lockFailures) addBounded(to.lockFailures, statement, count);
}

function addBounded(counts: Map<string, number>, text: string, count: number): void {
  if (counts.has(text) || counts.size < MOST_TEXTS) addTo(counts, text, count);
}
