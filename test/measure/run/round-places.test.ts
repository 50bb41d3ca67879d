import { describe, expect, it } from 'vitest';
import type { PassRecord } from '../../../src/journal/pass-records.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { createPlaces } from '../../../src/measure/plan/places.ts';
import { runSweep, type SweepContext } from '../../../src/measure/run/run-sweep.ts';
import { expectBalanced } from '../../fixtures/balanced-places.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { type FakeWorld, fakeWorld } from './fake-world.ts';

async function sweep(
  scenario: Partial<ResolvedScenario> = {},
  changes: Partial<SweepContext> = {},
): Promise<FakeWorld> {
  const world = fakeWorld(testScenario({ rounds: { min: 12, max: 12, budgetMs: 1e9 }, ...scenario }));
  await runSweep({
    ...world.context,
    firstRound: 1,
    decideStop: () => ({ stop: false, undecided: 9 }),
    startedAtMs: 0,
    quick: false,
    ...changes,
  });
  return world;
}

const placesIn = (records: readonly JournalRecord[]) =>
  records.flatMap((record) => (record.type === 'round' && record.places ? [record.places] : []));
const passesOf = (records: readonly JournalRecord[], round: number): PassRecord[] =>
  records.filter((record) => record.type === 'pass' && record.round === round) as PassRecord[];

/** What was done to arms, in order, in a round of the log: the n-th piece between two others. */
function doneIn(world: FakeWorld, round: number, verb: 'start' | 'stop', arms = 5): string[] {
  const lines = world.log.filter((line) => line.startsWith(`${verb} `)).map((line) => line.slice(verb.length + 1));
  return lines.slice((round - 1) * arms, round * arms);
}

describe('places of arms', () => {
  it('stand in the journal, balanced, and copies, starts, stops and connections keep to them', async () => {
    const world = await sweep();
    const places = placesIn(world.records).map(({ arms }) => [...arms]);
    expect(places).toHaveLength(12);
    expectBalanced(places);
    for (const [index, arms] of places.entries()) {
      const round = index + 1;
      const copied = world.log.filter((line) => line.startsWith(`copy pgsweep_r${round}_`));
      expect(copied).toEqual(arms.map((_, place) => `copy pgsweep_r${round}_a${place}`));
      const databases = new Map(
        world.records.flatMap((record) =>
          record.type === 'arm' && record.round === round ? [[record.arm, record.database]] : [],
        ),
      );
      expect(arms.map((arm) => databases.get(arm))).toEqual(arms.map((_, place) => `pgsweep_r${round}_a${place}`));
      expect(doneIn(world, round, 'start')).toEqual(arms);
      expect(doneIn(world, round, 'stop')).toEqual(arms);
      for (const pass of passesOf(world.records, round)) expect(pass.arms).toEqual(arms);
    }
  });

  it('are the order of whole slices, in every pass of a round', async () => {
    const { load } = testScenario();
    const { records } = await sweep({ load: { ...load, turn: 'off' } });
    for (const [index, { arms }] of placesIn(records).entries()) {
      const orders = passesOf(records, index + 1).map((pass) => pass.order.map((arm) => pass.arms[arm]));
      expect(orders).toEqual([arms, arms, arms]);
    }
  });

  it('are the order of bulk loads in one stretch', async () => {
    const { load } = testScenario();
    const dataset = { kind: 'template', template: 'grand-bend', documents: 10, seed: 1 } as const;
    const bulk = { dataset, connections: 25, inFlight: 25, retries: 0, backoffMs: 100, update: false };
    const { records } = await sweep({
      load: { ...load, levels: [{ connections: 25, of: 'bulk' }], bulk, turn: 'off' },
    });
    const places = placesIn(records).map(({ arms }) => arms);
    expectBalanced(places);
    const orders = places.map((_, index) =>
      passesOf(records, index + 1).map((one) => one.order.map((arm) => one.arms[arm])),
    );
    expect(orders).toEqual(places.map((arms) => [arms]));
  });

  it('begin a new balance where arms left, and end their names in every round at the same arm', async () => {
    const { load } = testScenario();
    const left = load.levels.map((level) => ({ variant: 'pool=35', load: level, after: 5, worseThan: 'pool=10' }));
    const names = new Map<string, Set<string>>();
    const together: (number | undefined)[] = [];
    const world = fakeWorld(testScenario({ rounds: { min: 12, max: 12, budgetMs: 1e9 } }));
    const { stack } = world.context;
    await runSweep({
      ...world.context,
      stack: {
        ...stack,
        startTarget: (options) => {
          const { name } = options.variant;
          names.set(name, (names.get(name) ?? new Set()).add(options.armName ?? ''));
          together.push(options.startingTogether);
          return stack.startTarget(options);
        },
      },
      firstRound: 1,
      decideStop: (round) => ({ stop: false, undecided: 9, ...(round >= 5 && { left: { cells: left, levels: [] } }) }),
      startedAtMs: 0,
      quick: false,
    });
    const places = placesIn(world.records).map(({ arms }) => arms);
    expectBalanced(places.slice(0, 5));
    expectBalanced(places.slice(5));
    expect(places.slice(5).map(({ length }) => length)).toEqual(Array(7).fill(4));
    // Each has as much time to get ready as all that start beside it need.
    expect(together).toEqual(places.flatMap(({ length }) => Array(length).fill(length)));
    // What a service of its own data is named by, such as PGSWEEP_ARM.
    expect(names.get('pool=50')).toEqual(new Set(['pgsweep_a4']));
    expect(names.get('pool=10')).toEqual(new Set(['pgsweep_a0', 'pgsweep_a1']));
  });

  it('of groups are balanced, too: each group is loaded first as often as the others', async () => {
    const usual = testScenario();
    const [control, ...others] = usual.variants;
    if (control === undefined) throw new Error('no variants');
    const many = Array.from({ length: 19 }, (_, index) => ({ ...control, name: `v${index}` }));
    const { records } = await sweep({
      variants: [control, ...many],
      load: { ...usual.load, sliceMs: 2000 },
      rounds: { min: 5, max: 5, budgetMs: 1e12 },
    });
    expect(others).not.toEqual([]);
    const places = placesIn(records);
    expectBalanced(places.map(({ arms }) => arms));
    expectBalanced(places.map(({ groups = [] }) => groups));
    for (const [index, { groups }] of places.entries()) {
      const inOrder = passesOf(records, index + 1).map(({ group }) => group);
      expect(inOrder).toEqual(usual.load.levels.flatMap(() => groups));
    }
  });

  it('of a shard are balanced over its own rounds: it is one machine', async () => {
    const changes = { firstRound: 2, roundStep: 2 };
    const { records } = await sweep({ rounds: { min: 20, max: 20, budgetMs: Number.MAX_SAFE_INTEGER } }, changes);
    const places = placesIn(records).map(({ arms }) => arms);
    expect(places).toHaveLength(10);
    expectBalanced(places);
  });

  it('of a run that is resumed continue as if it had not been interrupted', async () => {
    const whole = placesIn((await sweep()).records);
    const resumed = await sweep({}, { firstRound: 8, places: createPlaces(1, whole.slice(0, 7)) });
    expect(placesIn(resumed.records)).toEqual(whole.slice(7));
  });

  it('of arms that are switched live are the order in which they are tried', async () => {
    const usual = testScenario();
    const variants = usual.variants.map((variant) => ({
      ...variant,
      live: {
        settings: [],
        indexes: [],
        sql: [],
        reconnect: false,
        requests: [{ method: 'POST', path: `/${variant.name}`, headers: {} }],
        checks: [],
      },
    }));
    const world = await sweep({ variants, rounds: { min: 10, max: 10, budgetMs: 1e9 } });
    const places = placesIn(world.records).map(({ arms }) => arms);
    expectBalanced(places);
    for (const [index, arms] of places.entries()) {
      const tried = world.records.flatMap((record) =>
        record.type === 'arm' && record.round === index + 1 ? [record.arm] : [],
      );
      expect(tried).toEqual(arms);
    }
    expect(world.log.filter((line) => line.startsWith('start '))).toEqual(Array(10).fill('start pool=10'));
  });
});
