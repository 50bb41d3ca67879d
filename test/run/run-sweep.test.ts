import { describe, expect, it } from 'vitest';
import { runSweep, type SweepContext } from '../../src/run/run-sweep.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { type FakeWorld, fakeWorld } from './fake-world.ts';

function sweep(world: FakeWorld, changes: Partial<SweepContext> = {}) {
  return runSweep({
    ...world.context,
    firstRound: 1,
    decideStop: () => ({ stop: false, undecided: 9 }),
    startedAtMs: 0,
    quick: false,
    ...changes,
  });
}

const rounds = (world: FakeWorld): number[] =>
  world.records.flatMap((record) => (record.type === 'round' ? [record.round] : []));

describe('a sweep', () => {
  it('ends when every comparison has its verdict, not before the fewest rounds', async () => {
    const world = fakeWorld(testScenario());
    const reason = await sweep(world, { decideStop: () => ({ stop: true, undecided: 0 }) });
    expect(reason).toBe('verdicts');
    expect(rounds(world)).toEqual([1, 2, 3, 4]);
  });

  it('starts no round that the budget does not allow', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 4, max: 40, budgetMs: 600_000 } }));
    expect(await sweep(world)).toBe('budget');
    expect(world.clock.nowMs()).toBeLessThanOrEqual(600_000);
    expect(rounds(world)).toHaveLength(6);
  });

  it('runs one round however small the budget', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 4, max: 40, budgetMs: 1 } }));
    expect(await sweep(world)).toBe('budget');
    expect(rounds(world)).toEqual([1]);
  });

  it('ends at the most rounds', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 2, max: 2, budgetMs: 1e9 } }));
    expect(await sweep(world)).toBe('rounds');
  });

  it('a resumed run goes on with the next round, in the order that it would have had', async () => {
    const scenario = testScenario({ rounds: { min: 3, max: 3, budgetMs: 1e9 } });
    const whole = fakeWorld(scenario);
    await sweep(whole);
    const resumed = fakeWorld(scenario);
    await sweep(resumed, { firstRound: 3 });
    expect(rounds(resumed)).toEqual([3]);
    const start = whole.log.findIndex((line) => line.includes('r3_'));
    // But for the turns that a session tries first.
    const made = resumed.log.slice(1).filter((line) => !line.endsWith(' 150'));
    expect(made).toEqual(whole.log.slice(start));
  });

  it('says the round, the last round expected and the time left', async () => {
    const world = fakeWorld(testScenario());
    await sweep(world);
    const started = world.events.flatMap((event) => (event.kind === 'round-started' ? [event] : []));
    expect(started.map(({ round }) => round)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(started.at(-1)).toMatchObject({ rounds: 6, passes: 3 });
    const [first] = world.records.filter((record) => record.type === 'round');
    const { round = 0, rounds: last = 0, leftMs } = started.at(1) ?? {};
    expect(leftMs).toBeCloseTo((last - round + 1) * (first?.durationMs ?? 0));
  });

  it('measures 1,000 slices without a process in no time', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 67, max: 67, budgetMs: 1e12 } }));
    await sweep(world);
    expect(world.records.filter(({ type }) => type === 'slice')).toHaveLength(1005);
  });
});
