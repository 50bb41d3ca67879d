import { closedLoopClients } from '../../../journal/load-level.ts';
import { poolOfInstance } from '../../../journal/pool-size.ts';
import { variantNamed } from '../../../journal/scenario-record.ts';
import { instancesOf } from '../../../journal/service/instances.ts';
import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';
import { type DiagnosedCell, loopInWords, serviceBusy } from '../diagnosed-cell.ts';
import { poolerOf } from '../pooler.ts';
import type { Resource } from '../saturation.ts';
import { BUSY, isPoolTaken, LEAST_CONNECTIONS, MOST_BUSY_SHARE, sizeOfPools } from '../shared-connection.ts';

const otherReasons: readonly Resource[] = [
  'cpu limit',
  'machine cpu',
  'service cpu',
  'postgres cpu',
  'generator',
  'network',
];

/**
 * Connections busy at once far below the pool while clients wait, and nothing else is busy: the pool's size was not what
 * was tested. Published pool-size results exist where the pool never used more than two connections, since clients were
 * released before their transaction had ended.
 */
export const poolUnused: CrossCheck = {
  name: 'pool-unused',
  symptomIn(cell) {
    const { values, load, scenario, variant } = cell;
    const [size, clients] = [poolSizeOf(cell), closedLoopClients(load)];
    const busy = probeValue(values, 'busyConnections');
    const most = probeValue(values, 'mostBusyConnections');
    if (size === null || busy === null || most === null || clients === null) return null;
    // No more than its pooler has reach the database.
    const usable = Math.min(size, clients, poolerOf(scenario, variant)?.size ?? size);
    if (usable < LEAST_CONNECTIONS || most > MOST_BUSY_SHARE * usable) return null;
    const loop = serviceBusy(cell);
    const explained = [loop, ...otherReasons.map(cell.use)].some((busy) => busy !== null && busy >= BUSY);
    // Transactions that mix with each other leave no doubt, whoever else is busy.
    const mixed = (probeValue(values, 'mixedTransactions') ?? 0) > 0;
    // Where the service cannot be seen, requests may well wait for it.
    if (!mixed && (explained || loop === null)) return null;
    // There the pool's size is what matters, whatever its connections are held for: see pool-waits.ts.
    if (!mixed && isPoolTaken(values, size)) return null;
    const open = probeValue(values, 'openConnections');
    const connected = open === null ? '' : ` (${short(open)} open)`;
    const beside = loop === null || mixed ? '' : ` and ${loopInWords(cell, loop)}`;
    return {
      text: `${short(busy)} connections busy at once, ${short(most)} at most 95 % of the time, of a pool of ${short(size)}${eachInWords(cell, size)}${connected}, while ${clients} clients wait for answers${beside}`,
      next: 'The pool size was not what was tested. See whether clients are released before their transaction has ended, or what else requests wait for.',
      weight: 80,
    };
  },
};

/** ` (4 instances with 10 each)`, ` (4 pools with 5 each)`; empty where the service has one pool. */
export function eachInWords({ scenario, variant, pools }: DiagnosedCell, size: number): string {
  if (pools === 1) return '';
  const what = instancesOf(variantNamed(scenario, variant)) === pools ? 'instances' : 'pools';
  return ` (${pools} ${what} with ${short(size / pools)} each)`;
}

/** All pools of a service together, by its own metrics, or else as the scenario sets it; null where neither says. */
export function poolSizeOf({ values, scenario, variant, pools }: DiagnosedCell): number | null {
  const own = variantNamed(scenario, variant);
  const each = poolOfInstance(scenario, own);
  return sizeOfPools(values, { all: each === null ? null : each * pools, areMore: pools > instancesOf(own) });
}
