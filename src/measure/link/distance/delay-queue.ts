/** Items under way, ordered by arrival; of one moment, in the order in which they were added. */
export interface DelayQueue<T> {
  add(dueMs: number, item: T): void;
  /** When the next arrives; infinite where nothing is under way. */
  nextMs(): number;
  /** The next that has arrived by now, which is then gone; null where none has. */
  take(nowMs: number): T | null;
}

interface Entry<T> {
  readonly dueMs: number;
  readonly added: number;
  readonly item: T;
}

/** A binary heap: an arm has as many connections as its pool, and each may have several pieces under way. */
export function createDelayQueue<T>(): DelayQueue<T> {
  const heap: Entry<T>[] = [];
  let added = 0;
  const isBefore = (a: Entry<T>, b: Entry<T>): boolean =>
    a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.added < b.added);
  const at = (index: number): Entry<T> => heap[index] as Entry<T>;
  const sift = (entry: Entry<T>): void => {
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(at(child + 1), at(child))) child++;
      if (!isBefore(at(child), entry)) break;
      heap[index] = at(child);
      index = child;
    }
    heap[index] = entry;
  };
  return {
    add(dueMs, item) {
      const entry = { dueMs, added: added++, item };
      let index = heap.push(entry) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (!isBefore(entry, at(parent))) break;
        heap[index] = at(parent);
        index = parent;
      }
      heap[index] = entry;
    },
    nextMs: () => heap[0]?.dueMs ?? Number.POSITIVE_INFINITY,
    take(nowMs) {
      const [first] = heap;
      if (first === undefined || first.dueMs > nowMs) return null;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) sift(last);
      return first.item;
    },
  };
}
