import { expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { createDelayQueue } from '../../../../src/measure/link/distance/delay-queue.ts';

it('gives what has arrived, the earliest first', () => {
  const queue = createDelayQueue<string>();
  expect([queue.nextMs(), queue.take(100)]).toEqual([Number.POSITIVE_INFINITY, null]);
  queue.add(3, 'c');
  queue.add(1, 'a');
  queue.add(2, 'b');
  expect([queue.nextMs(), queue.take(0.9), queue.take(2), queue.take(2), queue.take(2)]).toEqual([
    1,
    null,
    'a',
    'b',
    null,
  ]);
  expect([queue.nextMs(), queue.take(3), queue.nextMs()]).toEqual([3, 'c', Number.POSITIVE_INFINITY]);
});

it('keeps the order of what arrives at the same moment', () => {
  const queue = createDelayQueue<number>();
  for (let item = 0; item < 100; item++) queue.add(5, item);
  expect(Array.from({ length: 100 }, () => queue.take(5))).toEqual(Array.from({ length: 100 }, (_, item) => item));
});

it('agrees with a sorted list, whatever comes and goes', () => {
  const random = createRandom(7);
  const queue = createDelayQueue<number>();
  const list: { readonly dueMs: number; readonly item: number }[] = [];
  for (let item = 0; item < 5000; item++) {
    const dueMs = Math.floor(random.next() * 50);
    queue.add(dueMs, item);
    list.push({ dueMs, item });
    if (random.next() < 0.5) continue;
    list.sort((a, b) => a.dueMs - b.dueMs || a.item - b.item);
    const nowMs = random.next() * 50;
    const expected = list[0] !== undefined && list[0].dueMs <= nowMs ? list.shift() : undefined;
    expect(queue.take(nowMs)).toBe(expected?.item ?? null);
  }
});
