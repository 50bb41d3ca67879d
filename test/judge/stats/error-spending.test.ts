import { expect, it } from 'vitest';
import { nominalLevels, type Spending } from '../../../src/judge/stats/error-spending.ts';

/** What a test spends whose two-sided level is the same at each of this many looks. */
function spentAtLevel(level: number, looks: number): number {
  const spendings: Spending[] = [];
  for (let rounds = 1; rounds <= looks; rounds++) {
    let [low, high] = [0, level];
    for (let step = 0; step < 30; step++) {
      const spent = (low + high) / 2;
      const own = [...nominalLevels([...spendings, { rounds, spent }], 'both')].at(-1) ?? 0;
      if (own < level) low = spent;
      else high = spent;
    }
    spendings.push({ rounds, spent: (low + high) / 2 });
  }
  return spendings.reduce((sum, { spent }) => sum + spent, 0);
}

it('spends what tables say: Pocock 1977, as in Jennison and Turnbull 2000, tables 2.1 and 2.9', () => {
  // Twice the normal tail of 2.178, 2.413, 2.555 and 2.672 is the level that spends 5 % in 2, 5, 10 and 20 looks.
  for (const [looks, level] of [
    [1, 0.05],
    [2, 0.029406],
    [5, 0.015822],
    [10, 0.010619],
    [20, 0.00754],
  ] as const)
    expect(spentAtLevel(level, looks)).toBeCloseTo(0.05, 4);
});
