import { expect, it } from 'vitest';
import { applyOverrides } from '../../src/cli/overrides.ts';
import { testScenario } from '../fixtures/scenario.ts';

it('the time to settle what is open is longer than the budget, and none where rounds are fixed', () => {
  const minutes = (count: number): number => 60_000 * count;
  const asked = testScenario({ rounds: { min: 4, max: 40, budgetMs: minutes(10), settleWithinMs: minutes(15) } });
  expect(applyOverrides(asked, {}).rounds).toMatchObject({ budgetMs: minutes(10), settleWithinMs: minutes(15) });
  expect(applyOverrides(asked, { settleWithin: minutes(20) }).rounds.settleWithinMs).toBe(minutes(20));
  for (const fixed of [{ rounds: 6 }, { quick: true }])
    expect(applyOverrides(asked, fixed).rounds.settleWithinMs).toBeUndefined();
  expect(() => applyOverrides(asked, { budget: minutes(30) })).toThrow(
    /15 min\) is no longer than the budget \(30 min\)/,
  );
});
