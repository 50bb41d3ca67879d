/** An arm that is observed; `shared` once another one is observed at the same time in the same place. */
export interface Place {
  readonly shared: boolean;
  leave(): void;
}

/** Notes which arms of a pass share something: a server's own counters then belong to no one of them. */
export function createPlaces<Where>(): { enter(where: Where): Place } {
  const open = new Map<Where, Set<{ shared: boolean }>>();
  return {
    enter(where) {
      const here = open.get(where) ?? new Set();
      open.set(where, here);
      const own = { shared: false };
      here.add(own);
      if (here.size > 1) for (const one of here) one.shared = true;
      return {
        get shared() {
          return own.shared;
        },
        leave: () => void here.delete(own),
      };
    },
  };
}
