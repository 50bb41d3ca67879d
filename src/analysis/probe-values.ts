import type { ProbeRecord } from '../journal/records.ts';

/** What probes saw, by the name of the value; no two probes give the same name. */
export type ProbeValues = Readonly<Record<string, number>>;

/** The values of a slice's probes. Of two records of one probe, the later holds: the slice was measured again. */
export function valuesOf(records: readonly ProbeRecord[]): ProbeValues[] {
  return [...new Map(records.map(({ probe, values }) => [probe, values])).values()];
}

/** Each value's mean over those that have it, in the order in which they first occur. */
export function meanValues(all: readonly ProbeValues[]): ProbeValues {
  for (const values of all) means.add(values);
  return means.take();
}

/** Adds up values by name. */
class Means {
  /** Where a name's sum and count stand. */
  readonly #places = new Map<string, number>();
  readonly #sums: number[] = [];
  readonly #counts: number[] = [];
  /** What has occurred since the last `take`, in that order. */
  #names: string[] = [];

  add(values: ProbeValues): void {
    for (const name in values) {
      const place = this.#placeOf(name);
      if (this.#counts[place] === 0) this.#names.push(name);
      this.#sums[place] = (this.#sums[place] ?? 0) + (values[name] ?? 0);
      this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    }
  }

  /** The means; what is added next begins anew. */
  take(): ProbeValues {
    const values: Record<string, number> = {};
    for (const name of this.#names) {
      const place = this.#placeOf(name);
      values[name] = (this.#sums[place] ?? 0) / (this.#counts[place] ?? 0);
      this.#sums[place] = 0;
      this.#counts[place] = 0;
    }
    this.#names = [];
    return values;
  }

  #placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(name, place);
    this.#sums.push(0);
    this.#counts.push(0);
    return place;
  }
}

/** One for all, so that it knows the names. */
const means = new Means();

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
