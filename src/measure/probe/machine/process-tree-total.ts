/** What one process has used since it began. */
export interface Part {
  readonly pid: number;
  readonly parent: number;
  /** Its own, and that of the children that it has waited for. */
  readonly used: number;
}

/**
 * What a changing set of processes has used since the first call, each call with all that are alive now. A process that
 * ends moves what it has used to the parent that waits for it, and so on upwards. One with no ancestor among them (init
 * waits for it) takes it along: it counts up to the last call in which it was seen. The sum never falls.
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

/** What threads or processes have counted since the first call, each by itself; one that has ended keeps what it had. */
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
