import { exact } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';
import { type DiagnosedCell, failsOften } from '../diagnosed-cell.ts';
import { poolSizeOf } from './pool-unused.ts';

/** One request in ten: no setting of the database changes more than a tenth of what is measured. */
const MOST_TRANSACTIONS = 0.1;
/** With fewer requests, transactions of the service's own start are a large part. */
const LEAST_ANSWERED = 200;
/** With half a connection busy on average, Postgres works for requests, whatever its counters say. */
const MOST_BUSY = 0.5;

/** True where so few transactions a request are made that their number says nothing of a request. */
export function hardlyUses(transactionsPerRequest: number): boolean {
  return transactionsPerRequest < MOST_TRANSACTIONS;
}

/**
 * A pool that is the question, and requests that do not reach the database: answered from a cache, or by the service
 * alone. Not checked where many fail.
 */
export const databaseHardlyUsed: CrossCheck = {
  name: 'database-hardly-used',
  symptomIn(cell) {
    const { database } = cell.sample;
    if (database === null || database.answered < LEAST_ANSWERED || poolSizeOf(cell) === null) return null;
    if (failsOften(cell)) return null;
    const perRequest = (database.delta.xact_commit + database.delta.xact_rollback) / database.answered;
    if (!hardlyUses(perRequest) || !isIdle(cell)) return null;
    return {
      text: `${exact(perRequest)} transactions a request: nearly all are answered without the database, as from a cache, so that a pool cannot matter`,
      next: 'Send requests that reach the database: other paths, or unique ids ("${unique}", "${integer 1 100000}").',
      weight: 84,
    };
  },
};

/**
 * True where statements and busy connections are near zero, too, as far as probes saw them; false where none did. Since
 * version 15 Postgres counts no transaction of a session that touches no table until that session ends (pgstat_report_stat
 * returns while nothing else is pending).
 */
function isIdle({ values, detail }: DiagnosedCell): boolean {
  const calls = probeValue(values, 'statementCalls');
  const busy = probeValue(values, 'busyConnections');
  if (calls === null && busy === null) return false;
  const perRequest = ((calls ?? 0) * detail.slices) / Math.max(1, detail.answered);
  return hardlyUses(perRequest) && (busy ?? 0) < MOST_BUSY;
}
