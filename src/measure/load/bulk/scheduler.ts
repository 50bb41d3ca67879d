/** A thing to be sent, and what it has to wait for. Handed out by the scheduler and given back to it. */
export interface Ticket<T> {
  readonly item: T;
}

export interface Keys {
  /** The ids under which others may refer to it. */
  readonly ids: readonly string[];
  /** The ids that it refers to. */
  readonly references: readonly string[];
}

/**
 * Says what may be sent now: everything whose references are finished, in order. There are no barriers: whatever does
 * not wait for something unfinished goes ahead of what does. Memory is that of the unfinished alone.
 */
export interface Scheduler<T> {
  /** Takes in the next item. What it refers to must have been taken in before it, or it does not wait for that. */
  add(item: T, keys: Keys): void;
  /** The first that may be sent, which is then unfinished until it is given to `done` or `again`. */
  next(): Ticket<T> | undefined;
  /** Finished, well or not: what waited for it may go. */
  done(ticket: Ticket<T>): void;
  /** Not finished: it is handed out again, ahead of the others, since more may wait for it. */
  again(ticket: Ticket<T>): void;
  /** How many are taken in and not finished. */
  readonly unfinished: number;
}

interface Node<T> extends Ticket<T> {
  readonly ids: readonly string[];
  /** How many unfinished others it waits for. */
  blockers: number;
  readonly waiting: Node<T>[];
}

export function createScheduler<T>(): Scheduler<T> {
  const byId = new Map<string, Node<T>>();
  const ready: Node<T>[] = [];
  let unfinished = 0;
  return {
    add(item, { ids, references }) {
      const node: Node<T> = { item, ids, blockers: 0, waiting: [] };
      // A document that stands twice in a data set is sent in that order: its own ids count as references.
      const before = new Set([...references, ...ids].map((id) => byId.get(id)));
      before.delete(undefined);
      for (const other of before) other?.waiting.push(node);
      node.blockers = before.size;
      for (const id of ids) byId.set(id, node);
      unfinished++;
      if (node.blockers === 0) ready.push(node);
    },
    next: () => ready.shift(),
    done(ticket) {
      const node = ticket as Node<T>;
      unfinished--;
      for (const id of node.ids) {
        if (byId.get(id) === node) byId.delete(id);
      }
      for (const other of node.waiting) {
        if (--other.blockers === 0) ready.push(other);
      }
    },
    again: (ticket) => void ready.unshift(ticket as Node<T>),
    get unfinished() {
      return unfinished;
    },
  };
}
