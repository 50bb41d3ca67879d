import { describe, expect, it } from 'vitest';
import { type BatcherOptions, createBatcher } from '../../../scenarios/services/documents/service/search/batcher.ts';

/** A batcher whose batches are sent when the test says so. */
function held(options: Partial<BatcherOptions<number>>) {
  const batches: number[][] = [];
  const onTheirWay: (() => void)[] = [];
  const batcher = createBatcher<number>({
    send: (items) => {
      batches.push([...items]);
      return new Promise((resolve) => onTheirWay.push(resolve));
    },
    batchMax: 100,
    delayMs: 1,
    capacity: Number.POSITIVE_INFINITY,
    ...options,
  });
  return { batcher, batches, release: () => onTheirWay.shift()?.() };
}

/** Long after a delay of 1 ms. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 30));

function settled(promise: Promise<void>): () => boolean {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  return () => done;
}

describe('a batcher', () => {
  it('gathers what comes at once, and while a batch is on its way', async () => {
    const { batcher, batches, release } = held({});
    const first = settled(batcher.add(1).sent);
    batcher.add(2);
    await aWhile();
    const third = settled(batcher.add(3).sent);
    batcher.add(4);
    await aWhile();
    expect(batches).toEqual([[1, 2]]);
    expect([first(), third()]).toEqual([false, false]);
    release();
    await aWhile();
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect([first(), third()]).toEqual([true, false]);
    expect(batcher.lengths()).toEqual({ queued: 2, waiting: 0 });
  });

  it('sends a full batch without delay, and no more than that in one', () => {
    const { batcher, batches } = held({ batchMax: 2, delayMs: 60_000 });
    for (const item of [1, 2, 3]) batcher.add(item);
    expect(batches).toEqual([[1, 2]]);
  });

  it('lets in as many as there is room for, in the order in which they came', async () => {
    const { batcher, batches, release } = held({ capacity: 2, batchMax: 1 });
    const accepted = [1, 2, 3, 4].map((item) => settled(batcher.add(item).accepted));
    await aWhile();
    expect(accepted.map((is) => is())).toEqual([true, true, false, false]);
    expect(batcher.lengths()).toEqual({ queued: 2, waiting: 2 });
    release();
    await aWhile();
    expect(accepted.map((is) => is())).toEqual([true, true, true, false]);
    for (let i = 0; i < 3; i++) {
      release();
      await aWhile();
    }
    expect(batches).toEqual([[1], [2], [3], [4]]);
  });

  it('drains without delay, those who wait included', async () => {
    const sent: number[] = [];
    const send = async (items: readonly number[]) => void sent.push(...items);
    const batcher = createBatcher<number>({ send, batchMax: 10, delayMs: 60_000, capacity: 2 });
    for (const item of [1, 2, 3]) batcher.add(item);
    expect(await batcher.drain(10_000)).toEqual([]);
    expect(sent).toEqual([1, 2, 3]);
    expect(await batcher.drain(10_000)).toEqual([]);
  });

  it('tells what is left when the time to drain is over', async () => {
    const { batcher } = held({ batchMax: 1, capacity: 2 });
    for (const item of [1, 2, 3]) batcher.add(item);
    expect(await batcher.drain(10)).toEqual([1, 2, 3]);
  });
});
