import { formatShare } from '../../../base/units.ts';
import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';

/** The share of busy connections: a lock less could win a third of a transaction's time. The healthy service has 0 to 3 %. */
const LEAST_SHARE = 0.3;
/** With less than one connection busy on average there is no lock holder to wait for. */
const LEAST_BUSY = 1;

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
      next: 'Find the row or table that all of them write, lock it later or for less time, or spread it; more connections only make the queue longer.',
      weight: 62 + 5 * share,
    };
  },
};

/**
 * 1 request in 20 adds as much work as the smallest change that a run is asked for (the margin). The document service,
 * which locks NOWAIT and tries again, rolls back up to 1 in 100 under 50 connections and is healthy.
 */
const LEAST_FAILED_SHARE = 0.05;
/** A deadlock costs a second (deadlock_timeout), so even one is reported. */
const LEAST_DEADLOCKS = 1;

const kinds = [
  ['loggedDeadlocks', 'deadlocks'],
  ['lockTimeouts', 'lock timeouts'],
  ['lockNotAvailable', '"could not obtain lock"'],
  ['serializationFailures', 'serialization failures'],
] as const;

/** Transactions that were rolled back, and statements that did not get their lock. */
export const lockFailures: CrossCheck = {
  name: 'rollbacks-and-lock-failures',
  symptomIn({ values, sample, detail }) {
    const requests = Math.max(1, detail.answered / detail.slices);
    const { xact_commit: commits = 0, xact_rollback: rollbacks = 0 } = sample.database?.delta ?? {};
    // Complete counters where there are any; else those that are read right after the load, whose ratio holds too.
    const share =
      commits + rollbacks > 0 ? rollbacks / (commits + rollbacks) : (probeValue(values, 'rollbackShare') ?? 0);
    const failed = kinds.flatMap(([name, label]) => {
      const count = probeValue(values, name) ?? 0;
      return count > 0 ? [{ label, count }] : [];
    });
    const failures = failed.reduce((sum, { count }) => sum + count, 0) / requests;
    const deadlocks = Math.max(probeValue(values, 'loggedDeadlocks') ?? 0, probeValue(values, 'deadlocks') ?? 0);
    if (share < LEAST_FAILED_SHARE && failures < LEAST_FAILED_SHARE && deadlocks < LEAST_DEADLOCKS) return null;
    const said = [
      ...(share >= LEAST_FAILED_SHARE ? [`${formatShare(share)} of transactions are rolled back`] : []),
      ...failed.map(({ label, count }) => `${short(count)} ${label} a slice`),
    ];
    return {
      text: said.length === 0 ? `${short(deadlocks)} deadlocks a slice` : said.join(', '),
      next: 'Read which statements fail (postgres-log in the samples); take locks in one order, keep transactions short, or count what the repeats cost.',
      weight: 65 + 5 * Math.min(1, Math.max(share, failures)),
    };
  },
};
