import type { ProbeRecord } from '../journal/records.ts';

/** What probes saw, by the name of the value; no two probes give the same name. */
export type ProbeValues = Readonly<Record<string, number>>;

/** The values of a slice's probes, each by itself. Of two records of one probe, the later holds: it was measured again. */
export function valuesByProbe(records: readonly ProbeRecord[]): ProbeValues[] {
  return [...new Map(records.map(({ probe, values }) => [probe, values])).values()];
}

const units = [
  ['_bytes_per_s', 'B/s'],
  ['_per_s', '1/s'],
  ['_ms', 'ms'],
  ['_bytes', 'B'],
  ['_cores', 'cores'],
] as const;

/** The unit that stands last in a value's name; empty where it is a plain number. */
export function unitOf(name: string): string {
  return units.find(([ending]) => name.endsWith(ending))?.[1] ?? '';
}
