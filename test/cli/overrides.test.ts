import { expect, it } from 'vitest';
import { applyOverrides, lengthOptions, resumedWith } from '../../src/cli/overrides.ts';
import { armsOf } from '../../src/measure/plan/arms.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { scenarioSchema } from '../../src/scenario/schema.ts';
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

it('a resumed run has no time to settle what is open where its new budget passes the recorded one', () => {
  const minutes = (count: number): number => 60_000 * count;
  const recorded = testScenario({ rounds: { min: 4, max: 40, budgetMs: minutes(10), settleWithinMs: minutes(15) } });
  const roundsOf = (overrides: Parameters<typeof resumedWith>[1]) => resumedWith(recorded, overrides, null).rounds;
  expect(roundsOf({ budget: minutes(47) })).toEqual({ min: 4, max: 40, budgetMs: minutes(47) });
  expect(roundsOf({ budget: minutes(12) }).settleWithinMs).toBe(minutes(15));
  expect(roundsOf({ budget: minutes(47), settleWithin: minutes(60) }).settleWithinMs).toBe(minutes(60));
  expect(() => roundsOf({ budget: minutes(47), settleWithin: minutes(15) })).toThrow(
    /15 min\) is no longer than the budget \(47 min\)/,
  );
});

it('a resumed run goes as far as the session that was interrupted, unless it is asked to go elsewhere', () => {
  const recorded = testScenario({ rounds: { min: 2, max: 2, budgetMs: 600_000 } });
  const extended = { min: 6, max: 6, budgetMs: Number.MAX_SAFE_INTEGER };
  expect(resumedWith(recorded, {}, extended).rounds).toEqual(extended);
  expect(resumedWith(recorded, {}, null).rounds).toEqual(recorded.rounds);
  // Its budget is that of a session, as the help says.
  expect(scenarioSchema.shape.rounds.unwrap().shape.budget.description).toContain('a resumed run has it again');
  expect(resumedWith(recorded, { rounds: 4 }, extended).rounds).toMatchObject({ min: 4, max: 4 });
  expect(resumedWith(recorded, { budget: 60_000 }, extended).rounds).toMatchObject({ max: 2, budgetMs: 60_000 });
});

it('a resumed run has the arms and slices that it had, whatever its budget', () => {
  const pools = Array.from({ length: 13 }, (_, index) => 10 + index).join(', ');
  const asked = parseScenario(
    `title: x\ntarget: { service: documents }\nsweep: { pool: { env: POOL_MAX, levels: [${pools}] } }\ncontrol: { pool: 10 }\nload: { connections: [25], workload: upsert-schools }\n`,
    'x.yaml',
  );
  const begun = applyOverrides(asked, { budget: 600_000 });
  const longer = 3 * 3_600_000;
  // With its longer slices, a new run has a second group of arms.
  expect(armsOf(applyOverrides(asked, { budget: longer })).length).toBeGreaterThan(armsOf(begun).length);
  const resumed = resumedWith(begun, { budget: longer, rounds: 20 }, null);
  expect(armsOf(resumed)).toEqual(armsOf(begun));
  expect(resumed).toEqual({ ...begun, rounds: { ...begun.rounds, min: 20, max: 20, budgetMs: longer } });
});

it('are typed again as they were', () => {
  expect(lengthOptions({})).toBe('');
  expect(lengthOptions({ rounds: 8, budget: 5_400_000, settleWithin: 5_430_000 })).toBe(
    ' --rounds 8 --budget 90m --settle-within 5430s',
  );
  expect(lengthOptions({ budget: 1500 })).toBe(' --budget 1500ms');
});
