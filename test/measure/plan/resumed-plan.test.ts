import { describe, expect, it } from 'vitest';
import { nothingLeft } from '../../../src/journal/left-records.ts';
import type { LengthsRecord } from '../../../src/journal/length-records.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { planResumed } from '../../../src/measure/plan/resumed-plan.ts';
import { planRest, type RunPlan, unknownCosts } from '../../../src/measure/plan/run-plan.ts';
import { createTurnSchedule } from '../../../src/measure/run/round/turn-schedule.ts';
import { runSweep } from '../../../src/measure/run/run-sweep.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { fakeWorld } from '../run/fake-world.ts';

/** Slices of 12 s on average, three times as long as in the first round. */
const lengths: LengthsRecord = {
  type: 'lengths',
  round: 6,
  warmups: [{ requests: 3000, mostMs: 3000 }],
  besideMs: 25_000,
  levels: [
    { load: { connections: 1 }, sliceMs: 9000, withinPerS: 0.003, between: 0.0004 },
    { load: { connections: 25 }, sliceMs: 15_000, withinPerS: 0.009, between: 0.0004 },
    { load: { connections: 50 }, sliceMs: 12_000, withinPerS: 0.005, between: 0.0004 },
  ],
};
const rest = { left: nothingLeft, lengths, roundsDone: 6 };
const scenarioWith = (budgetMs: number, autoSlice = true): ResolvedScenario => {
  const plain = testScenario({ rounds: { min: 4, max: 40, budgetMs } });
  return { ...plain, load: { ...plain.load, ...(autoSlice && { autoSlice }) } };
};
const slicesOf = (plan: RunPlan): number[] => (plan.lengths?.levels ?? []).map(({ sliceMs }) => sliceMs);

describe('a resumed run', () => {
  it('says how long a round takes whose slices are as long as they were last', async () => {
    const scenario = scenarioWith(3_600_000);
    const plan = planResumed(scenario, unknownCosts, rest);
    expect(plan.scenario).toBe(scenario);
    expect(plan.lengths).toBe(lengths);
    expect(plan.estimate.roundMs - planRest(scenario).estimate.roundMs).toBeCloseTo(1.03 * 5 * (36_000 - 12_000), -2);
    const world = fakeWorld(scenario);
    const { load } = world.context;
    await runSweep({
      ...world.context,
      plan,
      load: { ...load, schedule: createTurnSchedule(scenario, plan.arms.length, plan.lengths) },
      firstRound: 7,
      decideStop: (round) => ({ stop: round >= 8, undecided: 0 }),
      startedAtMs: 0,
      quick: false,
    });
    const [first] = world.events.flatMap((event) => (event.kind === 'round-started' ? [event] : []));
    const took = world.records.flatMap((record) => (record.type === 'round' ? [record.durationMs] : []));
    const announcedMs = (first?.leftMs ?? 0) / ((first?.rounds ?? 0) - 6);
    expect(announcedMs / (took[1] ?? 0)).toBeGreaterThan(0.8);
    expect(announcedMs / (took[1] ?? 0)).toBeLessThan(1.25);
  });

  it('of a number of requests is as long as one that begins', () => {
    const plain = scenarioWith(3_600_000, false);
    const scenario = { ...plain, load: { ...plain.load, bounded: { count: 500, limitMs: 600_000 } } };
    const levels = lengths.levels.map((level) => ({ ...level, sliceMs: 600_000 }));
    const plan = planResumed(scenario, unknownCosts, { ...rest, lengths: { ...lengths, levels } });
    expect(plan.estimate.roundMs).toBe(planRest(scenario).estimate.roundMs);
  });

  it('divides its slices again where its budget has no room for one such round', () => {
    const plan = planResumed(scenarioWith(150_000), unknownCosts, rest);
    const { setUpMs, firstRoundMs } = plan.estimate;
    expect(setUpMs + firstRoundMs).toBeLessThanOrEqual(150_000);
    const [calm = 0, noisy = 0, between = 0] = slicesOf(plan);
    expect(noisy).toBeLessThan(15_000);
    expect(calm).toBeGreaterThanOrEqual(2000);
    expect([calm, between, noisy]).toEqual([calm, between, noisy].sort((a, b) => a - b));
    expect(noisy).toBeGreaterThan(calm);
    // The scenario names its slices.
    expect(slicesOf(planResumed(scenarioWith(150_000, false), unknownCosts, rest))).toEqual([9000, 15_000, 12_000]);
  });
});
