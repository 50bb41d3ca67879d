import { formatShare } from '../../../base/units.ts';
import { cutTo, short } from '../../format.ts';
import type { Logged } from '../../read/cells/logged.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';

/** The share of busy connections: a lock less could win a third of a transaction's time. The healthy service has 0 to 3 %. */
const LEAST_SHARE = 0.3;
/** With less than one connection busy on average there is no lock holder to wait for. */
const LEAST_BUSY = 1;

/** Next step for a wait, by the kind of lock as Postgres's wait event names it; the others are locks of rows. */
const nextByLock: Readonly<Record<string, string>> = {
  object:
    'Look for NOTIFY: until its transaction has ended it holds one lock for all databases, so such commits come one after the other. Notify less often, or outside of the transactions that all requests make.',
  advisory:
    'Find the advisory lock that all of them take (pg_advisory_lock), and take it for less time or with more keys.',
  relation:
    'Find what locks a whole table (LOCK TABLE, TRUNCATE, DROP or CREATE INDEX, ALTER TABLE), and do it less often or with a weaker lock.',
  extend:
    'The table or index grows, and each block is added under a lock: write fewer rows at once, or several rows a statement.',
  virtualxid:
    'Find what waits for older transactions to end, as CREATE INDEX CONCURRENTLY does, and keep transactions short.',
};
const NEXT_FOR_ROWS =
  'Find the row or table that all of them write, lock it later or for less time, or spread it; more connections only make the queue longer.';

/** Connections that are busy with waiting for another transaction's lock. */
export const lockWaits: CrossCheck = {
  name: 'lock-waits',
  symptomIn({ values, detail }) {
    const share = probeValue(values, 'lockWaitShare') ?? 0;
    const busy = probeValue(values, 'busyConnections') ?? 0;
    if (share < LEAST_SHARE || busy < LEAST_BUSY) return null;
    const events = [...detail.waits]
      .filter(([event]) => event.startsWith('Lock:'))
      .sort(([, a], [, b]) => b - a)
      .slice(0, 2)
      .map(([event]) => event.slice('Lock:'.length));
    const which = events.length === 0 ? '' : ` (${events.join(', ')})`;
    return {
      text: `${formatShare(share)} of ${short(busy)} busy connections wait for a lock${which}`,
      kind: nextByLock[events[0] ?? ''] === undefined ? 'row' : (events[0] ?? ''),
      next: nextByLock[events[0] ?? ''] ?? NEXT_FOR_ROWS,
      weight: 62 + 5 * share,
    };
  },
};

/**
 * 1 request in 20 adds as much work as the smallest change that a run is asked for (the margin). The sample service,
 * which locks NOWAIT and tries again, rolls back up to 1 in 100 under 50 connections and is healthy.
 */
const LEAST_FAILED_SHARE = 0.05;
/** A deadlock costs a second (deadlock_timeout), so even one is reported. */
const LEAST_DEADLOCKS = 1;

const kinds = [
  ['loggedDeadlocks', 'deadlocks (40P01)'],
  ['lockTimeouts', 'lock timeouts (55P03)'],
  ['lockNotAvailable', '"could not obtain lock" (55P03)'],
  ['serializationFailures', 'serialization failures (40001)'],
] as const;

/**
 * Where Postgres logged fewer errors than this share of the rollbacks, the service itself ends transactions with ROLLBACK,
 * as some do after reads: no lock failed. A transaction that fails has logged at least one.
 */
const LEAST_ERRORS_A_ROLLBACK = 0.1;

/** Transactions that were rolled back, and statements that did not get their lock. */
export const lockFailures: CrossCheck = {
  name: 'rollbacks-and-lock-failures',
  symptomIn(cell) {
    const { values, detail } = cell;
    const requests = Math.max(1, detail.answered / detail.slices);
    const share = failedShare(cell, requests);
    const failed = kinds.flatMap(([name, label]) => {
      const count = probeValue(values, name) ?? 0;
      return count > 0 ? [{ label, count }] : [];
    });
    const failures = failed.reduce((sum, { count }) => sum + count, 0) / requests;
    const deadlocks = Math.max(probeValue(values, 'loggedDeadlocks') ?? 0, probeValue(values, 'deadlocks') ?? 0);
    if (share < LEAST_FAILED_SHARE && failures < LEAST_FAILED_SHARE && deadlocks < LEAST_DEADLOCKS) return null;
    const [most] = [...failed].sort((a, b) => b.count - a.count);
    const said = [
      ...(share >= LEAST_FAILED_SHARE ? [`${formatShare(share)} of transactions are rolled back`] : []),
      ...failed.map(({ label, count }) => `${short(count)} ${label} a slice`),
    ];
    return {
      text: said.length === 0 ? `${short(deadlocks)} deadlocks a slice` : said.join(', '),
      kind: most?.label ?? (deadlocks >= LEAST_DEADLOCKS ? kinds[0][1] : 'rolled back'),
      next: `Take locks in one order, keep transactions short, or count what the repeats cost.${statementsInWords(detail.logged)}`,
      weight: 65 + 5 * Math.min(1, Math.max(share, failures)),
    };
  },
};

/** The share of transactions that were rolled back; 0 where the service does so on purpose. `requests`: of a slice. */
function failedShare({ values, sample: { database } }: DiagnosedCell, requests: number): number {
  const { xact_commit: commits = 0, xact_rollback: rollbacks = 0 } = database?.delta ?? {};
  // Complete counters where there are any; else those that are read right after the load, whose ratio holds too.
  const share =
    commits + rollbacks > 0 ? rollbacks / (commits + rollbacks) : (probeValue(values, 'rollbackShare') ?? 0);
  const aRequest = rollbacks > 0 ? rollbacks / Math.max(1, database?.answered ?? 0) : share;
  const errors = probeValue(values, 'loggedErrors');
  return errors !== null && errors / requests < LEAST_ERRORS_A_ROLLBACK * aRequest ? 0 : share;
}

const MOST_TEXT = 100;

/** ` Most often fails: UPDATE items SET hits = hits + N WHERE id = $1`, by the server's log; where to look if it does not say. */
function statementsInWords({ lockFailures }: Pick<Logged, 'lockFailures'>): string {
  const [most] = [...lockFailures].sort(([, a], [, b]) => b - a);
  return most === undefined
    ? " The server's log has the statements that fail (STATEMENT)."
    : ` Most often fails: ${cutTo(MOST_TEXT, most[0])}`;
}
