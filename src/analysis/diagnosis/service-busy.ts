import { probeValue } from '../probe-names.ts';
import { isMachineFull } from '../saturation.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';
import { percent } from './words.ts';

/**
 * The share of the time in which the service was at work, or kept from it by others who had the CPU: for whoever waits
 * for the service that is the same. By its event loop; of a service without one by its busiest thread, and a full
 * machine, where nobody tells how long it waited for a CPU. Null where no probe tells.
 */
export function serviceBusy({ values, use }: Pick<DiagnosedCell, 'values' | 'use'>): number | null {
  const loop = probeValue(values, 'eventLoopShare');
  const thread = use('service event loop');
  if (loop !== null) return Math.min(1, loop);
  return thread !== null && isMachineFull(values) ? 1 : thread;
}

/** `event loop 94 % busy`, or of a service that has none `busiest thread ...`; what is asked of `use`, not of the clock. */
export function loopInWords({ values }: Pick<DiagnosedCell, 'values'>, busy: number): string {
  const name = probeValue(values, 'eventLoopShare') === null ? 'busiest thread' : 'event loop';
  return `${name} ${percent(busy)} busy`;
}
