import type { ProbeRecord } from '../journal/records.ts';
import { poolUseOf } from './pool-use.ts';

/** What probes saw, by the name of the value; no two probes give the same name. */
export type ProbeValues = Readonly<Record<string, number>>;

/** The values of a slice's probes, and what follows from them. Of two records of one probe, the later holds: the slice was measured again. */
export function valuesOf(records: readonly ProbeRecord[]): ProbeValues {
  const last = new Map(records.map(({ probe, values }) => [probe, values]));
  const values: ProbeValues = Object.assign({}, ...last.values());
  return { ...values, ...poolUseOf(values) };
}

/** Each value's mean over those that have it. */
export function meanValues(all: readonly ProbeValues[]): ProbeValues {
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  const sums = new Map<string, { sum: number; count: number }>();
  for (const [name, value] of all.flatMap((values) => Object.entries(values))) {
    const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
    sums.set(name, { sum: sum + value, count: count + 1 });
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
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
