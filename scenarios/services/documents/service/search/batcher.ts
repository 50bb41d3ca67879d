export interface BatcherOptions<Item> {
  /** Sends one batch, in order. It never rejects. */
  readonly send: (items: readonly Item[]) => Promise<void>;
  readonly batchMax: number;
  /** How long an item waits for others. */
  readonly delayMs: number;
  /** The most items that are accepted and not sent yet. */
  readonly capacity: number;
}

/** Gathers items that come at the same time into batches, one batch on its way at a time. */
export interface Batcher<Item> {
  add(item: Item): {
    /** Settles when there is room for the item. */
    readonly accepted: Promise<void>;
    /** Settles when the item's batch has been sent. */
    readonly sent: Promise<void>;
  };
  lengths(): { readonly queued: number; readonly waiting: number };
  /** Sends what is there without further delay. Resolves to what is left at the end of the time: none, or the rest. */
  drain(limitMs: number): Promise<readonly Item[]>;
}

interface Entry<Item> {
  readonly item: Item;
  readonly onAccepted: () => void;
  readonly onSent: () => void;
}

/** One batch at a time keeps two changes of one document in order, and lets the next batch grow meanwhile. */
export function createBatcher<Item>({ send, batchMax, delayMs, capacity }: BatcherOptions<Item>): Batcher<Item> {
  const queue: Entry<Item>[] = [];
  const waiting: Entry<Item>[] = [];
  let onItsWay: readonly Entry<Item>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let onEmpty: (() => void) | undefined;

  const queued = (): number => queue.length + onItsWay.length;
  const enter = (entry: Entry<Item>): void => {
    queue.push(entry);
    entry.onAccepted();
    if (onItsWay.length > 0) return;
    if (queue.length >= batchMax) void sendAll();
    else timer ??= setTimeout(sendAll, delayMs);
  };
  const sendAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    while (queue.length > 0 && onItsWay.length === 0) {
      onItsWay = queue.splice(0, batchMax);
      await send(onItsWay.map(({ item }) => item));
      for (const { onSent } of onItsWay) onSent();
      onItsWay = [];
      for (let next = nextIn(); next; next = nextIn()) {
        queue.push(next);
        next.onAccepted();
      }
    }
    if (queued() === 0) onEmpty?.();
  };
  const nextIn = (): Entry<Item> | undefined => (queued() < capacity ? waiting.shift() : undefined);

  return {
    add(item) {
      let onAccepted = (): void => {};
      let onSent = (): void => {};
      const accepted = new Promise<void>((resolve) => {
        onAccepted = resolve;
      });
      const sent = new Promise<void>((resolve) => {
        onSent = resolve;
      });
      const entry = { item, onAccepted, onSent };
      // Nobody may overtake those who wait.
      if (queued() < capacity && waiting.length === 0) enter(entry);
      else waiting.push(entry);
      return { accepted, sent };
    },
    lengths: () => ({ queued: queued(), waiting: waiting.length }),
    async drain(limitMs) {
      if (queued() === 0) return [];
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve;
        setTimeout(resolve, limitMs).unref();
      });
      void sendAll();
      await empty;
      return [...onItsWay, ...queue, ...waiting].map(({ item }) => item);
    },
  };
}
