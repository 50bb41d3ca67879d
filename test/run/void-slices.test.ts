import { describe, expect, it } from 'vitest';
import type { CountersRecord, SliceRecord } from '../../src/journal/records.ts';
import { runRound } from '../../src/run/run-round.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { type FakeWorld, fakeWorld } from './fake-world.ts';

const slicesOf = (world: FakeWorld): SliceRecord[] =>
  world.records.filter((record): record is SliceRecord => record.type === 'slice');

/** A machine on which the n-th measured slices (from 0) are disturbed. */
function disturbed(which: (measured: number) => boolean): FakeWorld {
  const world = fakeWorld(testScenario());
  let measured = 0;
  world.conditions = () => ({ foreignCpuShare: which(measured++) ? 0.5 : 0 });
  return world;
}

describe('a void slice', () => {
  it('is measured again at the end of its pass, and every attempt is recorded with what it was void for', async () => {
    // A pass is five slices: the fourth of the first pass, and its second attempt.
    const world = disturbed((measured) => measured === 3 || measured === 5);
    await runRound(world.context, 1);
    const slices = slicesOf(world);
    expect(slices).toHaveLength(17);
    const third = slices.filter(({ slice }) => slice === 3);
    expect(third.map(({ attempt, voided }) => [attempt, voided])).toEqual([
      [0, ['foreign cpu']],
      [1, ['foreign cpu']],
      [2, []],
    ]);
    expect(new Set(third.map(({ arm, load }) => `${arm} ${load.connections}`)).size).toBe(1);
    expect(third[0]?.conditions).toMatchObject({ foreignCpuShare: 0.5, connectionsOpened: third[0]?.load.connections });
    expect(slices.map(({ slice }) => slice)).toEqual([0, 1, 2, 3, 4, 3, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('leaves nothing of its counters in those of the next attempt', async () => {
    const world = disturbed((measured) => measured === 3);
    await runRound(world.context, 1);
    const counters = world.records.filter((record): record is CountersRecord => record.type === 'counters');
    expect(counters).toHaveLength(15);
    for (const { slice, delta, loadMs } of counters) {
      const connections = slicesOf(world).find((record) => record.slice === slice)?.load.connections ?? 0;
      expect(delta.xact_commit).toBe(connections * loadMs);
    }
  });

  it('waits for its counters while others are measured', async () => {
    // The first of the last pass: four slices of others come between.
    const world = disturbed((measured) => measured === 10);
    const { phases } = await runRound(world.context, 1);
    expect(slicesOf(world)).toHaveLength(16);
    expect(phases.waitMs).toBe(0);
  });

  it('is said, with what was found and whether it is measured again', async () => {
    const world = disturbed((measured) => [3, 5, 6].includes(measured));
    await runRound(world.context, 1);
    const said = world.events.filter((event) => event.kind === 'slice-void');
    expect(said.map(({ again }) => again)).toEqual([true, true, false]);
    expect(said[0]?.voided).toEqual([{ reason: 'foreign cpu', found: '50 %' }]);
  });

  it('is given up after three attempts', async () => {
    const world = disturbed((measured) => [3, 5, 6, 7].includes(measured));
    await runRound(world.context, 1);
    const slices = slicesOf(world);
    expect(slices.filter(({ slice }) => slice === 3).map(({ attempt }) => attempt)).toEqual([0, 1, 2]);
    // What else was void is measured again in its own pass.
    expect(slices.filter(({ slice }) => slice === 5).map(({ attempt }) => attempt)).toEqual([0, 1]);
  });

  it('where all are, is measured again for a third of the round', async () => {
    const world = disturbed(() => true);
    await runRound(world.context, 1);
    const slices = slicesOf(world);
    expect(slices).toHaveLength(15 + 5);
    expect(new Set(slices.map(({ slice }) => slice)).size).toBe(15);
  });

  it('is not measured again once the budget is spent', async () => {
    const world = disturbed(() => true);
    await runRound({ ...world.context, repeatUntilMs: 0 }, 1);
    expect(slicesOf(world)).toHaveLength(15);
    expect(slicesOf(world).every(({ voided }) => voided?.[0] === 'foreign cpu')).toBe(true);
  });
});

describe('a warm-up', () => {
  it('ends as soon as the rate is flat, and says so; at its cap it was not steady', async () => {
    const world = fakeWorld(testScenario());
    const warm = { ...world.context, isWarm: (rates: readonly number[]) => rates.length >= 14 };
    await runRound(warm, 1);
    const capped = fakeWorld(testScenario());
    await runRound(capped.context, 1);
    const warmups = (from: FakeWorld) =>
      from.records.flatMap((record) => (record.type === 'warmup' ? [[record.steady, record.durationMs]] : []));
    expect(warmups(world)).toEqual(Array(5).fill([true, 3500]));
    expect(warmups(capped)).toEqual(Array(5).fill([false, 5000]));
  });

  it('that is too short to be judged is a fixed one', async () => {
    const scenario = testScenario();
    const world = fakeWorld({ ...scenario, load: { ...scenario.load, warmupMs: 3000 } });
    await runRound({ ...world.context, isWarm: () => true }, 1);
    const warmups = world.records.filter(({ type }) => type === 'warmup');
    expect(warmups.every((record) => !('steady' in record))).toBe(true);
    expect(warmups[0]).toMatchObject({ durationMs: 3000 });
  });
});
