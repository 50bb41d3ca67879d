import { describe, expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import { moreFailures } from '../../../src/judge/verdicts/caveats.ts';

/** One round of an arm, and several. */
const once = (among: number, count: number) => [new Map([[1, { count, among }]])];
const rounds = (among: number, counts: readonly number[]) =>
  new Map(counts.map((count, round) => [round, { count, among }] as const));
const found = (own: ReturnType<typeof once>, others: ReturnType<typeof once>, marks = 1) =>
  moreFailures('more-failures', own, others, { course: { rounds: own[0]?.size ?? 0, ends: [] }, marks });

describe('more failures are marked', () => {
  test('when the difference is both large and sure', () => {
    expect(found(once(2000, 40), once(4000, 4))).toEqual([
      { kind: 'more-failures', failed: 40, requests: 2000, controlFailed: 4, controlRequests: 4000 },
    ]);
  });

  test('not when it is sure but under 0.1 % of the requests', () => {
    expect(found(once(1_000_000, 500), once(2_000_000, 0))).toEqual([]);
  });

  test('not when it is large but may be chance', () => {
    expect(found(once(200, 1), once(400, 0))).toEqual([]);
    expect(found(once(500, 0), once(1000, 60))).toEqual([]);
  });

  test('and without requests nothing is said', () => {
    expect(found(once(0, 0), once(400, 0))).toEqual([]);
    expect(found([new Map()], once(400, 0))).toEqual([]);
    expect(found(once(10, 10), [new Map()])).toEqual([]);
  });

  test('in three rounds by their sum, since nothing is decided by them', () => {
    expect(found([rounds(4000, [32, 0, 0])], [rounds(4000, [0, 0, 0])])).toHaveLength(1);
  });

  test('from four rounds on where they hold over rounds, with the error shared', () => {
    const control = [rounds(4000, [2, 0, 1, 3]), rounds(4000, [1, 1, 0, 2])];
    expect(found([rounds(4000, [42, 25, 61, 38])], control, 9)).toHaveLength(1);
    expect(found([rounds(4000, [4000, 4000, 4000, 4000])], control, 120)).toHaveLength(1);
    expect(found([rounds(4000, [0, 0, 160, 1])], control)).toEqual([]);
  });

  test('where each round fails far more than any of the control, however much they scatter', () => {
    expect(found([rounds(20_000, [2400, 11_000, 18_000, 6000])], [rounds(20_000, [0, 0, 0, 0])])).toHaveLength(1);
    expect(found([rounds(20_000, [2400, 11_000, 18_000, 6000])], [rounds(20_000, [0, 0, 300, 0])])).toEqual([]);
    expect(found([rounds(20_000, [3, 11_000, 18_000, 6000])], [rounds(20_000, [0, 0, 0, 0])])).toEqual([]);
  });

  test('not of identical arms with bursts of failures, but in 5 % of the sessions', () => {
    const random = createRandom(seedOf('bursts'));
    const burst = () => (random.next() < 0.2 ? 32 : 2);
    const arm = () => rounds(4000, Array.from({ length: 6 }, burst));
    const marked = Array.from({ length: 400 }, () => {
      const control = [arm(), arm()];
      return [1, 2, 3].some(() => found([arm()], control, 3).length > 0);
    });
    expect(marked.filter((is) => is).length / 400).toBeLessThan(0.05);
  });
});
