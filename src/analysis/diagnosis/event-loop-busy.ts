import { probeValue } from '../probe-names.ts';
import type { DiagnosedCell } from './diagnosed-cell.ts';

/**
 * The share of the time in which the service's event loop was at work, or kept from it by others who had the CPU: for
 * whoever waits for the service that is the same. Null where no probe tells.
 */
export function eventLoopBusy({ values, use }: Pick<DiagnosedCell, 'values' | 'use'>): number | null {
  const known = [probeValue(values, 'eventLoopShare'), use('service event loop')].flatMap((one) => one ?? []);
  return known.length === 0 ? null : Math.min(1, Math.max(...known));
}
