import { probeValue } from '../probe-names.ts';
import { isMachineFull } from '../saturation.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';
import { percent } from './words.ts';

/**
 * The share of the time in which the service was at work, by its event loop or, of a service without one, by its busiest
 * thread. On a full machine it is all of it: an event loop that is ready and not yet given a CPU looks idle, and whoever
 * waits for the service cannot tell. Null where no probe tells.
 */
export function serviceBusy({ values, use }: Pick<DiagnosedCell, 'values' | 'use'>): number | null {
  return isMachineFull(values) ? 1 : use('service event loop');
}

/** `the service's event loop is 94 % busy`, or of a service that has none `the service's busiest thread is ...`. */
export function loopInWords({ values }: Pick<DiagnosedCell, 'values'>, busy: number): string {
  const name = probeValue(values, 'eventLoopShare') === null ? 'busiest thread' : 'event loop';
  return `the service's ${name} is ${percent(busy)} busy`;
}
