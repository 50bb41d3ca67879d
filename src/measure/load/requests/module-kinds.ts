import type { NextRequest } from '../workload-module.ts';

/** At most this many different request names are distinguished; the rest are one. */
const MOST_NAMES = 50;
const OTHER = 'other';

/** Kinds of request of a module, as they are met. */
export interface ModuleKinds {
  /** The name of each kind. Requests of one name that expect different statuses are different kinds. */
  readonly names: readonly string[];
  /** By kind, the statuses that are no failure; any 2xx where undefined. */
  readonly expected: readonly (readonly number[] | undefined)[];
  /** Index of the kind of a request. */
  indexOf(name: string, expect: readonly number[] | undefined): number;
}

/** The kinds of a module. Those that it names ahead come first. */
export function moduleKinds({ names: ahead = [] }: NextRequest): ModuleKinds {
  const names = ahead.slice(0, MOST_NAMES);
  /** Kinds that are named ahead and that were not met yet. */
  const unmet = new Map(names.map((name, index) => [name, index]));
  const shown = new Set(names);
  const expected: (readonly number[] | undefined)[] = [];
  const met = new Map<string, number>();
  const shownName = (name: string): string => {
    if (shown.has(name)) return name;
    if (shown.size >= MOST_NAMES) return [...shown].at(-1) ?? OTHER;
    const made = shown.size === MOST_NAMES - 1 ? OTHER : name;
    shown.add(made);
    return made;
  };
  const added = (name: string, expect: readonly number[] | undefined): number => {
    const index = unmet.get(name) ?? names.push(name) - 1;
    unmet.delete(name);
    expected[index] = expect;
    return index;
  };
  return {
    names,
    expected,
    indexOf(name, expect) {
      const own = shownName(name);
      const key = `${own}\n${expect?.join() ?? ''}`;
      const index = met.get(key) ?? added(own, expect);
      met.set(key, index);
      return index;
    },
  };
}
