import { describe, expect, it } from 'vitest';
import { blockCycles, blockTurns } from '../../../src/measure/plan/turn-blocks.ts';

it('turns that follow a switch are no shorter than those that hid no waits, and two where none would be left', () => {
  const turnsOf = (leastTurnMs: number) =>
    blockTurns({ sliceMs: 6000, settleMs: 100, turn: 'auto' }, { latencyMs: 4, leastTurnMs }, 3);
  expect(turnsOf(0).turnMs).toBeLessThan(300);
  expect(turnsOf(1400)).toEqual({ turnMs: 1500, turnsPerArm: 4 });
  expect(turnsOf(5000)).toEqual({ turnMs: 3000, turnsPerArm: 2 });
});

describe('blocks', () => {
  it.each([2, 3, 4, 5, 8])('of %i arms have each arm once forwards and once backwards', (arms) => {
    const cycles = blockCycles(arms, 6, 3);
    expect(cycles).toHaveLength(12);
    for (let block = 0; block < 6; block++) {
      const [there = [], back = []] = cycles.slice(2 * block, 2 * block + 2);
      expect([...there].sort()).toEqual(Array.from({ length: arms }, (_, arm) => arm));
      expect(back).toEqual([...there].reverse());
    }
  });

  it('put every arm equally often at both ends, where they come in whole squares', () => {
    const first = blockCycles(4, 8, 5).filter((_, cycle) => cycle % 2 === 0);
    for (let arm = 0; arm < 4; arm++) {
      expect(first.filter(([one]) => one === arm)).toHaveLength(2);
      expect(first.filter((row) => row.at(-1) === arm)).toHaveLength(2);
    }
  });

  it('leave out a steady drift', () => {
    // A value that only grows with time: over a block the sums of all arms are the same.
    const cycles = blockCycles(5, 3, 9);
    let at = 0;
    for (let block = 0; block < 3; block++) {
      const sums = new Map<number, number>();
      for (const cycle of cycles.slice(2 * block, 2 * block + 2)) {
        for (const arm of cycle) sums.set(arm, (sums.get(arm) ?? 0) + at++);
      }
      expect(new Set(sums.values()).size).toBe(1);
    }
  });
});
