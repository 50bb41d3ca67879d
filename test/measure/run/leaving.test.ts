import { describe, expect, it } from 'vitest';
import { type Left, type LeftCell, nothingLeft } from '../../../src/journal/left-records.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { lastLineUp } from '../../../src/measure/run/last-records.ts';
import { runSweep, type SweepContext } from '../../../src/measure/run/run-sweep.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { type FakeWorld, fakeWorld } from './fake-world.ts';

const cellsOf = (variant: string, ...connections: number[]): LeftCell[] =>
  connections.map((size) => ({ variant, load: { connections: size }, after: 4, worseThan: 'pool=10' }));

const left: Left = { cells: [...cellsOf('pool=35', 25, 50), ...cellsOf('pool=50', 1, 25, 50)], levels: [] };

async function sweep(
  changes: Partial<SweepContext> = {},
  scenario: Partial<ResolvedScenario> = {},
): Promise<FakeWorld> {
  const world = fakeWorld(testScenario({ rounds: { min: 4, max: 6, budgetMs: 1e9 }, ...scenario }));
  await runSweep({
    ...world.context,
    firstRound: 1,
    decideStop: (round) => ({ stop: false, undecided: 9, ...(round >= 4 && { left }) }),
    startedAtMs: 0,
    quick: false,
    ...changes,
  });
  return world;
}

/** The arms of each pass of a round, by the size of its load, in the order of the passes. */
const passes = ({ records }: FakeWorld, round: number): [number, number][] =>
  records.flatMap((record) =>
    record.type === 'pass' && record.round === round ? [[loadSize(record.load), record.arms.length]] : [],
  );

const started = ({ log }: FakeWorld): number => log.filter((line) => line.startsWith('start ')).length;

describe('arms that left', () => {
  it('are not measured, and those that left everywhere are not started', async () => {
    const world = await sweep();
    expect(new Map(passes(world, 4))).toEqual(
      new Map([
        [1, 5],
        [25, 5],
        [50, 5],
      ]),
    );
    expect(new Map(passes(world, 5))).toEqual(
      new Map([
        [1, 4],
        [25, 3],
        [50, 3],
      ]),
    );
    expect(started(world)).toBe(4 * 5 + 2 * 4);
    expect(world.running.size).toBe(0);
    expect(world.databases.size).toBe(0);
  });

  it('leave levels that come last, so that all arms of a pass had the same load before it', async () => {
    const world = await sweep();
    for (const round of [5, 6]) expect(passes(world, round)[0]?.[0]).toBe(1);
  });

  it('are written down once, before the round that does without them, and told', async () => {
    const world = await sweep();
    const records = world.records.filter(({ type }) => type === 'left');
    expect(records).toEqual([{ type: 'left', round: 4, cells: left.cells }]);
    const place = world.records.findIndex(({ type }) => type === 'left');
    expect(world.records.slice(0, place).filter(({ type }) => type === 'round')).toHaveLength(4);
    const told = world.events.filter(({ kind }) => kind === 'arms-left');
    expect(told).toEqual([{ kind: 'arms-left', gone: left, back: nothingLeft }]);
  });

  it('are not written down where no round follows', async () => {
    const world = await sweep({}, { rounds: { min: 4, max: 4, budgetMs: 1e9 } });
    expect(world.records.filter(({ type }) => type === 'left')).toEqual([]);
  });

  it('stay away from a run that is resumed, and come back where the judge says so', async () => {
    const stays = { stop: false, undecided: 9 };
    const decideStop = (round: number) => (round === 5 ? { ...stays, left: nothingLeft } : stays);
    const world = await sweep({ firstRound: 5, lineUpBefore: { left, proposed: null }, decideStop });
    expect(new Map(passes(world, 5)).get(50)).toBe(3);
    expect(new Map(passes(world, 6)).get(50)).toBe(5);
    expect(world.events.filter(({ kind }) => kind === 'arms-left')).toEqual([
      { kind: 'arms-left', gone: nothingLeft, back: left },
    ]);
  });

  it('are all measured again from the first round on where changes are asked for now', async () => {
    const world = await sweep({
      firstRound: 5,
      lineUpBefore: { left, proposed: null },
      allStay: true,
      decideStop: () => ({ stop: false, undecided: 9 }),
    });
    expect(new Map(passes(world, 5)).get(50)).toBe(5);
    expect(world.records.filter(({ type }) => type === 'left')).toEqual([{ type: 'left', round: 4, cells: [] }]);
  });

  it('in groups leave the control of each group that has others', async () => {
    const variants = Array.from({ length: 21 }, (_, place) => ({
      ...testScenario().variants[0],
      name: `pool=${place}`,
      factors: { pool: place },
    })) as ResolvedScenario['variants'];
    const gone = variants.slice(3).flatMap(({ name }) => cellsOf(name, 25, 50));
    const decideStop = (round: number) => ({
      stop: false,
      undecided: 9,
      ...(round === 4 && { left: { cells: gone, levels: [] } }),
    });
    const world = await sweep(
      { decideStop },
      { variants, control: 'pool=0', rounds: { min: 4, max: 5, budgetMs: 1e9 } },
    );
    const made = passes(world, 5);
    const groups = made.filter(([size]) => size === 1);
    expect(groups.length).toBeGreaterThan(1);
    const measured = made.filter(([size]) => size === 50).map(([, arms]) => arms);
    // Each of the two others beside two arms of the control.
    expect(measured.reduce((sum, arms) => sum + arms - 2, 0)).toBe(2);
  });
});

describe('load levels that left', () => {
  const decided: Left = { cells: [], levels: [{ load: { connections: 1 }, after: 4 }] };
  const decideStop = (round: number) => ({ stop: false, undecided: 9, ...(round >= 4 && { left: decided }) });

  it('have no pass, and their time goes to the others', async () => {
    const world = await sweep({ decideStop });
    expect([4, 5, 6].map((round) => passes(world, round).length)).toEqual([3, 2, 2]);
    expect(passes(world, 5).map(([size]) => size)).not.toContain(1);
    expect(started(world)).toBe(6 * 5);
    expect(world.events.flatMap((event) => (event.kind === 'round-started' ? [event.passes] : []))).toEqual([
      3, 3, 3, 3, 2, 2,
    ]);
    const left = world.events.flatMap((event) => (event.kind === 'round-started' ? [event.leftMs ?? 0] : []));
    expect(left[5]).toBeLessThan((left[3] ?? 0) / 3);
  });

  it('are written down, stay away from a run that is resumed, and come back where the judge says so', async () => {
    const world = await sweep({ decideStop });
    expect(world.records.filter(({ type }) => type === 'left')).toEqual([{ type: 'left', round: 4, ...decided }]);
    expect(lastLineUp(world).left).toEqual(decided);
    const again = (round: number) => ({ stop: false, undecided: 9, ...(round === 5 && { left: nothingLeft }) });
    const resumed = await sweep({ firstRound: 5, lineUpBefore: { left: decided, proposed: null }, decideStop: again });
    expect([5, 6].map((round) => passes(resumed, round).length)).toEqual([2, 3]);
    expect(resumed.events.filter(({ kind }) => kind === 'arms-left')).toEqual([
      { kind: 'arms-left', gone: nothingLeft, back: decided },
    ]);
  });
});

it('slices of the arms that are left get longer, by what the budget has', async () => {
  const spreads = {
    levels: [1, 25, 50].map((connections) => ({
      load: { connections },
      withinPerS: 0.009,
      between: null,
      countedPerS: 2000,
      waits: null,
    })),
    warmups: [],
  };
  const load = { ...testScenario().load, autoSlice: true as const };
  const rounds = { min: 4, max: 40, budgetMs: 900_000 };
  const gone = ['pool=25', 'pool=35', 'pool=50'].flatMap((name) => cellsOf(name, 50));
  const lengthsOf = async (cells: readonly LeftCell[]) => {
    const decideStop = (round: number) => ({
      stop: false,
      undecided: 9,
      spreads,
      ...(round >= 4 && { left: { cells, levels: [] } }),
    });
    const world = await sweep({ decideStop }, { load, rounds });
    expect(world.clock.nowMs()).toBeLessThanOrEqual(900_000);
    const after = world.records.flatMap((record) => (record.type === 'lengths' && record.round === 4 ? [record] : []));
    return {
      slices: after[0]?.levels.map(({ sliceMs }) => sliceMs) ?? [],
      rounds: world.records.filter(({ type }) => type === 'round').length,
      ms: world.clock.nowMs(),
    };
  };
  const [all, fewer] = [await lengthsOf([]), await lengthsOf(gone)];
  const sum = (slices: readonly number[]): number => slices.reduce((one, other) => one + other, 0);
  expect(sum(fewer.slices) * fewer.rounds).toBeGreaterThan(1.1 * sum(all.slices) * all.rounds);
  expect(fewer.ms).toBeGreaterThan(800_000);
});
