import { poolSizeIn } from '../../journal/pool-size.ts';
import { probeValue } from '../probe-names.ts';
import type { Resource } from '../saturation.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';
import type { Check } from './finding.ts';
import { loopInWords, serviceBusy } from './service-busy.ts';
import { short } from './words.ts';

/** With fewer clients or connections than this, few busy at once is how it should be. */
const LEAST_CONNECTIONS = 4;
/** A pool of which less than this was ever busy at once (p95) was not what throughput depended on. */
const MOST_BUSY_SHARE = 0.5;
/**
 * Where clients ask again at once, somebody must be busy: in a balanced closed network of M stations with C clients each
 * is used C / (C + M - 1) of the time, 0.67 for 4 clients and 3 stations, and where one is slower it is used more. If
 * nobody reaches this, requests wait for each other.
 */
const BUSY = 0.6;

const otherReasons: readonly Resource[] = ['machine cpu', 'service cpu', 'postgres cpu', 'generator', 'network'];

/**
 * Connections busy at once far below the pool while clients wait, and nothing else is busy: the pool's size was not what
 * was tested. Published pool-size results exist where the pool never used more than two connections, since clients were
 * released before their transaction had ended.
 */
export const poolUnused: Check = (cell) => {
  const { values, load } = cell;
  const size = poolSizeOf(cell);
  const busy = values.busy_connections_mean;
  const most = values.busy_connections_p95;
  if (size === null || busy === undefined || most === undefined || load.bulk === true) return null;
  const usable = Math.min(size, load.connections);
  if (usable < LEAST_CONNECTIONS || most > MOST_BUSY_SHARE * usable) return null;
  const loop = serviceBusy(cell);
  const explained = [loop, ...otherReasons.map(cell.use)].some((busy) => busy !== null && busy >= BUSY);
  // Transactions that mix with each other leave no doubt, whoever else is busy.
  const mixed = (values.log_transaction_open ?? 0) > 0;
  // Where the service cannot be seen, requests may well wait for it.
  if (!mixed && (explained || loop === null)) return null;
  const connected = values.connections_mean === undefined ? '' : ` (${short(values.connections_mean)} open)`;
  const beside = loop === null || mixed ? '' : ` and ${loopInWords(cell, loop)}`;
  return {
    name: 'pool-unused',
    text: `${short(busy)} connections busy at once, ${short(most)} at most 95 % of the time, of a pool of ${short(size)}${connected}, while ${load.connections} clients wait for answers${beside}`,
    next: 'The pool size was not what was tested. See whether clients are released before their transaction has ended, or what else requests wait for.',
    weight: 80,
  };
};

/** By the service's own metrics, or else as the scenario sets it; null where neither says. */
export function poolSizeOf({ values, scenario, variant }: DiagnosedCell): number | null {
  const shown = probeValue(values, 'poolSize');
  if (shown !== null) return shown;
  const own = scenario.variants.find(({ name }) => name === variant);
  return own === undefined ? null : poolSizeIn(scenario, own);
}
