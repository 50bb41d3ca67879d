import { formatShare } from '../../base/units.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import { probeValue } from '../read/metrics/metric-aliases.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';
import { isMachineFull } from './saturation.ts';

/**
 * The share of the time in which the service was at work, by its event loop or, of a service without one, by its busiest
 * thread, or ready to work and without a CPU: an event loop that was not woken yet takes itself for idle, and whoever
 * waits for the service cannot tell. Where that is not known, a full machine may have kept it from working at any time.
 * Null where no probe tells.
 */
export function serviceBusy({ values, use }: Pick<DiagnosedCell, 'values' | 'use'>): number | null {
  const loop = probeValue(values, 'eventLoopShare') ?? use('service event loop');
  const thread = probeValue(values, 'serviceThreadCores');
  const waited = probeValue(values, 'serviceThreadWaited');
  if (thread !== null && waited !== null) return Math.min(1, Math.max(loop ?? 0, thread + waited));
  return isMachineFull(values) ? 1 : loop && Math.min(1, loop);
}

/** `the service's event loop is 94 % busy`, or of a service that has none `the service's busiest thread is ...`. */
export function loopInWords(
  { values, scenario, variant }: Pick<DiagnosedCell, 'values' | 'scenario' | 'variant'>,
  busy: number,
): string {
  const name = probeValue(values, 'eventLoopShare') === null ? 'busiest thread' : 'event loop';
  const own = scenario.variants.find((one) => one.name === variant);
  if (own !== undefined && instancesOf(own) > 1)
    return `the ${name === 'event loop' ? 'busiest event loop' : name} of the service's ${instancesOf(own)} instances is ${formatShare(busy)} busy`;
  return `the service's ${name} is ${formatShare(busy)} busy`;
}
