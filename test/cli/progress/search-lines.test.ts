import { expect, it } from 'vitest';
import { afterChoice } from '../../../src/cli/progress/search-lines.ts';

it('a search has no more time left than its budget, but for the round that is under way', () => {
  const leftOf = (budgetEndsAtMs: number | null): number | null => {
    const before = { round: 1, rounds: 6, passes: 4, pass: 8, endsAtMs: null, budgetEndsAtMs };
    const chosen = { kind: 'levels-chosen', levels: [], leftMs: 60_000, nextMs: [70_000, 90_000] } as const;
    return afterChoice(before, chosen, 1000).endsAtMs;
  };
  expect(leftOf(null)).toBe(1000 + 60_000 + 5 * 90_000);
  expect(leftOf(Number.POSITIVE_INFINITY)).toBe(1000 + 60_000 + 5 * 90_000);
  expect(leftOf(400_000)).toBe(400_000);
  expect(leftOf(20_000)).toBe(61_000);
});
