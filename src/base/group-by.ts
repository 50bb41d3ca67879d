/** Sorts items into groups by a key, in the order in which the keys first occur. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<unknown, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** Adds to the count of a key. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
