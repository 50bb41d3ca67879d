import { formatShare } from '../../../base/units.ts';
import { short } from '../../format.ts';
import { postgresAliases, probeValue } from '../../read/metrics/metric-aliases.ts';
import { probeMetric } from '../../verdicts/compare-probes.ts';
import type { CrossCheck } from '../cross-check.ts';
import { type DiagnosedCell, serviceBusy } from '../diagnosed-cell.ts';
import { NEAR_LIMIT } from '../saturation.ts';
import { eventLoopInTransactions } from './event-loop-in-transactions.ts';

/** Sessions at once: less is the moment between two statements. */
const LEAST_MORE = 1;
/** More sessions at once alone are a larger pool; a larger share of the busy ones is what is held. */
const [LEAST_RATIO, LEAST_SHARE_RATIO] = [2, 1.5];

const idleInTransaction = probeMetric(postgresAliases.idleInTransaction[0]);

/** A share of busy connections that wait for a lock: less is the moment until a lock is free again. */
const LEAST_WAITING_SHARE = 0.05;

/** Sessions that are idle in a transaction, many more than the control's: their locks are held meanwhile. */
export const idleInTransactions: CrossCheck = {
  name: 'idle-in-transaction',
  symptomIn(cell) {
    const change = cell.change(idleInTransaction);
    if (change === null || change.isClear === false || eventLoopInTransactions.symptomIn(cell) !== null) return null;
    const { value, control } = change;
    // Who waits for a CPU leaves transactions open, too; where the control waits as much, that is not why.
    if (isBusy(cell) && cell.control !== null && !isBusy(cell.control)) return null;
    if (value - control < LEAST_MORE || value < LEAST_RATIO * control) return null;
    const [own, other] = [busyShare(cell, value), cell.control && busyShare(cell.control, control)];
    if (own === null || other === null || own < LEAST_SHARE_RATIO * other) return null;
    return {
      text: `${short(value)} sessions idle in a transaction at once, control ${short(control)}${waitingInWords(cell)}`,
      next: 'Look for what the service does between BEGIN and COMMIT besides its statements: calls of others, waits, or a connection of the pool that it needs there, too.',
      weight: 66,
    };
  },
};

/** `: they hold their locks meanwhile, and 40 % of busy connections wait for one`; how many wait only where some were seen to. */
function waitingInWords({ values }: DiagnosedCell): string {
  const share = probeValue(values, 'lockWaitShare') ?? 0;
  return share < LEAST_WAITING_SHARE
    ? ': each keeps a connection of the pool'
    : `: they hold their locks meanwhile, and ${formatShare(share)} of busy connections wait for one`;
}

function isBusy(cell: DiagnosedCell): boolean {
  return (serviceBusy(cell) ?? 0) >= NEAR_LIMIT;
}

function busyShare({ values }: DiagnosedCell, idle: number): number | null {
  const busy = probeValue(values, 'busyConnections');
  return busy === null || busy <= 0 ? null : idle / busy;
}
