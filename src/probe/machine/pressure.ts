import { readProc } from './read-proc.ts';

export type PressureResource = 'cpu' | 'memory' | 'io';

/** Microseconds since boot in which some task waited for it. */
export function readPressureUs(resource: PressureResource): number | null {
  const text = readProc(`/proc/pressure/${resource}`);
  return text === null ? null : parsePressureUs(text);
}

export function parsePressureUs(text: string): number | null {
  const total = /^some .*\btotal=(\d+)/m.exec(text)?.[1];
  return total === undefined ? null : Number(total);
}
