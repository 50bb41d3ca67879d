import { describe, expect, it } from 'vitest';
import { PgsweepError } from '../../src/base/errors.ts';
import type { CountersRecord, SliceRecord } from '../../src/journal/records.ts';
import type { Variant } from '../../src/journal/scenario-record.ts';
import { SETTLE_MS } from '../../src/plan/counter-waits.ts';
import { runRound } from '../../src/run/run-round.ts';
import { testScenario } from '../fixtures/scenario.ts';
import { COPY_MS, fakeWorld, START_MS } from './fake-world.ts';

const verbs = (log: readonly string[]): string[] => log.map((line) => line.split(' ')[0] ?? '');

describe('a round', () => {
  it('brings every arm to life, warms each, measures every cell, and stops every arm', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    const steps = verbs(world.log).filter((verb, index, all) => verb !== all[index - 1]);
    expect(steps).toEqual(['checkpoint', 'copy', 'checkpoint', 'start', 'load', 'stop', 'drop']);
    const loads = world.log.filter((line) => line.startsWith('load'));
    expect(loads.slice(0, 5).every((line) => line.endsWith('50 warmup'))).toBe(true);
    expect(new Set(loads.slice(5)).size).toBe(15);
    expect(world.running.size).toBe(0);
    expect(world.databases.size).toBe(0);
  });

  it('warms the arms in the order in which they are measured first', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    const arms = world.log
      .filter((line) => line.startsWith('load'))
      .map((line) => line.replace(/^load (.*) \d+ \w+$/, '$1'));
    expect(arms.slice(5, 10)).toEqual(arms.slice(0, 5));
  });

  it('records each slice as it ends, its counters once they are complete, and the round last', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 3);
    const types = world.records.map(({ type }) => type);
    expect(types.filter((type) => type === 'slice')).toHaveLength(15);
    expect(types.filter((type) => type === 'counters')).toHaveLength(15);
    expect(types.filter((type) => type === 'arm')).toHaveLength(5);
    expect(types.at(-1)).toBe('round');
    const slices = world.records.filter((record): record is SliceRecord => record.type === 'slice');
    const counters = world.records.filter((record): record is CountersRecord => record.type === 'counters');
    for (const { slice, arm, delta, loadMs } of counters) {
      const measured = slices.find((record) => record.slice === slice);
      expect(measured?.arm).toBe(arm);
      // Exactly this slice's work: neither the warm-up's nor another slice's.
      expect(delta.xact_commit).toBe((measured?.load.connections ?? 0) * loadMs);
    }
    expect(counters.filter(({ complete }) => complete === 'closed')).toHaveLength(5);
  });

  it('says where its time went', async () => {
    const world = fakeWorld(testScenario());
    const { durationMs, phases } = await runRound(world.context, 1);
    expect(phases).toEqual({
      bootMs: 5 * (COPY_MS + START_MS),
      warmupMs: 25_000,
      sliceMs: 60_000,
      waitMs: 0,
      stopMs: 0,
    });
    expect(durationMs).toBe(5 * (COPY_MS + START_MS) + 85_000);
  });

  it('waits where an arm comes round too soon for its counters to be complete', async () => {
    const scenario = testScenario();
    const short = { ...scenario, load: { ...scenario.load, sliceMs: 1000, dropMs: 250 } };
    const world = fakeWorld(short);
    const { phases } = await runRound(world.context, 1);
    expect(phases.waitMs).toBeGreaterThan(0);
    // Fifteen slices of 1 s with five arms: twice the gap, less the slices in it, is the least that can be waited.
    expect(phases.waitMs).toBeLessThanOrEqual(2 * SETTLE_MS);
    expect(world.events.some((event) => event.kind === 'waiting')).toBe(true);
    expect(world.records.filter(({ type }) => type === 'counters')).toHaveLength(15);
  });

  it('gives every arm the same requests in a pass, and others in the next', async () => {
    const world = fakeWorld(testScenario());
    const seeds = new Map<number, Set<number>>();
    world.onLoad = (job) => {
      if (job.dropMs > 0) seeds.set(job.load.connections, (seeds.get(job.load.connections) ?? new Set()).add(job.seed));
    };
    await runRound(world.context, 1);
    expect([...seeds.values()].map((set) => set.size)).toEqual([1, 1, 1]);
    expect(new Set([...seeds.values()].flatMap((set) => [...set])).size).toBe(3);
  });
});

describe('a round of variants that change their database', () => {
  it('records what was changed for each arm, and the indexes of all arms once their services have ended', async () => {
    const nothing = { settings: {}, dropIndex: [], createIndex: [], hideIndex: [], sql: [] };
    const scenario = testScenario();
    const variants = scenario.variants.map((variant) =>
      variant.name === 'pool=25' ? { ...variant, treatment: { ...nothing, dropIndex: ['ix'] } } : variant,
    );
    const world = fakeWorld({ ...scenario, variants });
    const { databases } = world.context;
    if (databases === null) throw new Error('the fake world has databases');
    const index = { table: 't', name: 'ix', bytes: 8192, scans: 3 };
    const dropped = { kind: 'dropIndex', name: 'ix', found: 'ix dropped' } as const;
    const context = {
      ...world.context,
      databases: {
        ...databases,
        async open(round: number) {
          world.log.push(`open ${round}`);
        },
        async copy(name: string, variant: Variant) {
          const copy = await databases.copy(name, variant);
          return variant.treatment === undefined ? copy : { ...copy, treatment: [dropped], ownServer: true };
        },
        async indexes(name: string) {
          world.log.push(`indexes ${name}`);
          return [index];
        },
        async close() {
          world.log.push('close');
        },
      },
    };
    await runRound(context, 7);
    const arms = world.records.filter((record) => record.type === 'arm');
    expect(arms.find(({ arm }) => arm === 'pool=25')).toMatchObject({ treatment: [dropped], ownServer: true });
    const others = arms.filter(({ arm }) => arm !== 'pool=25');
    expect(others.some((arm) => 'treatment' in arm || 'ownServer' in arm)).toBe(false);
    const indexes = world.records.filter((record) => record.type === 'indexes');
    expect(indexes.map(({ arm }) => arm).sort()).toEqual(arms.map(({ arm }) => arm).sort());
    expect(indexes[0]).toMatchObject({ round: 7, indexes: [index] });
    const steps = verbs(world.log).filter((verb, at, all) => verb !== all[at - 1]);
    expect(steps.slice(0, 3)).toEqual(['open', 'checkpoint', 'copy']);
    expect(steps.slice(-5, -1)).toEqual(['load', 'stop', 'indexes', 'drop']);
    expect(steps.at(-1)).toBe('close');
  });

  it('closes its servers also where no arm has come to life', async () => {
    const world = fakeWorld(testScenario());
    const { databases } = world.context;
    if (databases === null) throw new Error('the fake world has databases');
    let closed = 0;
    const failing = {
      ...databases,
      copy: () => Promise.reject(new PgsweepError('stack', 'no room')),
      async close() {
        closed++;
      },
    };
    await expect(runRound({ ...world.context, databases: failing }, 1)).rejects.toThrow('no room');
    expect(closed).toBe(1);
  });
});

describe('a round that fails', () => {
  it('by a service that never gets ready: the others are stopped, nothing is recorded as a round', async () => {
    const world = fakeWorld(testScenario());
    world.onStart = (arm) => {
      if (arm === 'pool=35') throw new PgsweepError('target', 'not ready');
    };
    await expect(runRound(world.context, 1)).rejects.toThrow('not ready');
    expect(world.running.size).toBe(0);
    expect(world.records.some(({ type }) => type === 'round')).toBe(false);
  });

  it('by a service that dies under load: named, with its last lines', async () => {
    const world = fakeWorld(testScenario());
    world.onLoad = (_, arm) => {
      if (arm === 'pool=25') world.kill('pool=25');
    };
    await expect(runRound(world.context, 1)).rejects.toThrow(
      /the service of "pool=25" ended under load \(exit code 9\)\. Its last lines:\nlast words/,
    );
    expect(world.running.size).toBe(0);
    expect(world.databases.size).toBe(0);
  });

  it('by Ctrl-C: with its reason, at any moment, and everything is stopped', async () => {
    for (let moment = 1; moment <= 20; moment++) {
      const world = fakeWorld(testScenario());
      let loads = 0;
      world.onLoad = () => {
        loads++;
        if (loads === moment) world.abort.abort(new PgsweepError('interrupted', 'interrupted'));
      };
      await expect(runRound(world.context, 1)).rejects.toThrow('interrupted');
      expect(loads).toBe(moment);
      expect(world.running.size).toBe(0);
      expect(world.databases.size).toBe(0);
      expect(world.records.some(({ type }) => type === 'round')).toBe(false);
    }
  });
});
