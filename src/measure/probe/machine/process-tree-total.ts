/** Use of one process since it began. */
export interface Part {
  readonly pid: number;
  readonly parent: number;
  /** Its own, and that of the children that it has waited for. */
  readonly used: number;
}

/**
 * Sum of a counter over a changing set of processes since the first call; each call has all that are alive now. A process
 * that ends moves its use to the parent that waits for it, and so on upwards. If no ancestor is in the set (init waits for
 * it), its use counts up to the last call with it. The sum never falls.
 */
export function processTreeTotal(): (parts: readonly Part[]) => number {
  let before: readonly Part[] | null = null;
  let sum = 0;
  return (parts) => {
    if (before !== null) sum += Math.max(0, total(parts) - total(before) + total(lostBetween(before, parts)));
    before = parts;
    return sum;
  };
}

function lostBetween(before: readonly Part[], now: readonly Part[]): Part[] {
  const alive = new Set(now.map(({ pid }) => pid));
  const known = new Map(before.map((part) => [part.pid, part]));
  return before.filter((part) => {
    let heir: Part | undefined = part;
    while (heir !== undefined && !alive.has(heir.pid)) heir = known.get(heir.parent);
    return heir === undefined;
  });
}

function total(parts: readonly Part[]): number {
  return parts.reduce((all, { used }) => all + used, 0);
}

/** Counts of threads or processes since the first call, each by itself; one that has ended keeps its count. */
export function growingCounts(): (counts: ReadonlyMap<string, number>) => ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  const grown = new Map<string, number>();
  let begun = false;
  return (counts) => {
    for (const [key, count] of counts) {
      if (!first.has(key)) first.set(key, begun ? 0 : count);
      grown.set(key, count - (first.get(key) ?? 0));
    }
    begun = true;
    return grown;
  };
}
