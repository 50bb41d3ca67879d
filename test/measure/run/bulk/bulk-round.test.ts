import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSize } from '../../../../src/journal/load-level.ts';
import type { BulkSpec } from '../../../../src/journal/scenario-record.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { fakeWorld, stepsOf } from '../fake-world.ts';

const bulk: BulkSpec = {
  dataset: { kind: 'template', template: 'partial-grand-bend', documents: 100, seed: 1 },
  connections: 25,
  inFlight: 25,
  retries: 0,
  backoffMs: 1,
  update: false,
};
const scenario = testScenario();
const bulkScenario = {
  ...scenario,
  load: {
    ...scenario.load,
    bulk,
    levels: [
      { connections: 25, of: 'bulk' as const },
      { connections: 5, workload: 'get-documents' as const },
    ],
  },
};

describe('a round with a bulk load', () => {
  it('loads every arm cold, checks and tidies its database, and only then warms it for what it reads', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const steps = stepsOf(world.log.filter((line) => line !== 'checkpoint'));
    const settled = Array.from({ length: 5 }, () => ['check', 'tidy']).flat();
    expect(steps).toEqual(['copy and start', 'bulk', ...settled, 'load', 'stop', 'drop']);
    const warmups = world.records.filter((record) => record.type === 'warmup');
    expect(warmups.map(({ load, outcomes }) => [load, outcomes])).toEqual(
      Array(5).fill([{ connections: 5, workload: 'get-documents' }, { '200': 3000 }]),
    );
    expect(world.records.filter(({ type }) => type === 'bulk-check')).toHaveLength(5);
  });

  it('loads all arms in turns, each until it is done, in its own time', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const turns = world.log.filter((line) => line.startsWith('bulk')).map((line) => line.replace(/ \d+$/, ''));
    // Loads of a second in turns of half a second: two cycles.
    expect(turns).toHaveLength(10);
    expect(new Set(turns.slice(0, 5)).size).toBe(5);
    expect(new Set(turns.slice(5)).size).toBe(5);
    const slices = world.records.filter((record) => record.type === 'slice' && record.load.of === 'bulk');
    expect(slices).toHaveLength(5);
    const [pass] = world.records.filter((record) => record.type === 'pass');
    expect(pass).toMatchObject({ turnMs: 500, turnsPerArm: 2 });
    expect(pass?.order).toHaveLength(10);
  });

  it('keeps of failures.jsonl what rounds before it have lost, when it is made again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-bulk-round-'));
    const file = join(folder, 'failures.jsonl');
    writeFileSync(file, '{"round":1,"arm":"a"}\n{"round":2,"arm":"a"}\n');
    const { context } = fakeWorld(bulkScenario);
    await runRound({ ...context, io: { ...context.io, folder } }, 2);
    expect(readFileSync(file, 'utf8')).toBe('{"round":1,"arm":"a"}\n');
    rmSync(folder, { recursive: true });
  });

  it('loads many arms together, with the control, in shorter turns', async () => {
    const [control] = scenario.variants;
    if (control === undefined) throw new Error('a scenario without variants');
    const others = Array.from({ length: 18 }, (_, index) => ({ ...control, name: `variant ${index}` }));
    const world = fakeWorld({ ...bulkScenario, variants: [control, ...others] });
    await runRound(world.context, 1);
    const bulks = world.records.filter((record) => record.type === 'slice' && record.load.of === 'bulk');
    expect(bulks.map((record) => ('group' in record ? record.group : undefined))).toEqual(Array(22).fill(undefined));
    const pass = world.records.find((record) => record.type === 'pass' && record.load.of === 'bulk');
    expect(pass).toMatchObject({ turnMs: 145 });
    for (const record of bulks) if (record.type === 'slice') expect(record.turns?.gapMaxMs).toBeLessThan(4000);
  });

  it('warms each workload that follows by itself, in every round, and nothing where none does', async () => {
    const [load, reads] = bulkScenario.load.levels;
    if (load === undefined || reads === undefined) throw new Error('a scenario without levels');
    const others = [reads, { ...reads, workload: 'list-by-reference' as const }, { ...reads, connections: 1 }];
    const world = fakeWorld({ ...bulkScenario, load: { ...bulkScenario.load, levels: [load, ...others] } });
    await runRound(world.context, 1);
    world.context.load.schedule.take({
      warmups: [
        { workload: 'get-documents', requests: 2000, mostMs: 9000 },
        { workload: 'list-by-reference', requests: 1000, mostMs: 9000 },
      ],
      levels: [],
    });
    await runRound(world.context, 2);
    const warmups = world.records.filter((record) => record.type === 'warmup');
    const wanted = warmups.map(({ round, load, wanted }) => `${round} ${load.workload} ${loadSize(load)} ${wanted}`);
    expect(wanted).toEqual(
      [
        '1 get-documents 5 3000',
        '1 list-by-reference 5 3000',
        '2 get-documents 5 2000',
        '2 list-by-reference 5 1000',
      ].flatMap((one) => Array(5).fill(one)),
    );
    const alone = fakeWorld({ ...bulkScenario, load: { ...bulkScenario.load, levels: [load] } });
    await runRound(alone.context, 1);
    expect(alone.records.filter(({ type }) => type === 'warmup')).toEqual([]);
  });

  it('loads each in one stretch where turns are off', async () => {
    const world = fakeWorld({ ...bulkScenario, load: { ...bulkScenario.load, turn: 'off' } });
    await runRound(world.context, 1);
    expect(world.log.filter((line) => line.startsWith('bulk'))).toHaveLength(5);
  });

  const passesOf = (world: ReturnType<typeof fakeWorld>) =>
    world.records.flatMap((record) => (record.type === 'pass' && record.load.of === 'bulk' ? [record] : []));

  it('makes the loads again on fresh arms, each in one stretch, where an arm works in the turns of others', async () => {
    const world = fakeWorld(bulkScenario);
    let asked = 0;
    // Not when all are left alone, which is what the meter is asked for first.
    world.work = (arm) => (++asked > 15 && arm === 3 ? { idleCpuMs: 800 } : {});
    const record = await runRound(world.context, 1);
    expect(passesOf(world).map(({ repeated, wholeSlices }) => [repeated, wholeSlices])).toEqual([
      [true, undefined],
      [undefined, 'idle work'],
    ]);
    const steps = stepsOf(world.log.filter((line) => line !== 'checkpoint'));
    expect(steps.slice(0, 6)).toEqual(['copy and start', 'bulk', 'stop', 'drop', 'copy and start', 'bulk']);
    expect(world.records.filter((one) => one.type === 'slice' && one.load.of === 'bulk')).toHaveLength(5);
    expect(world.records.filter(({ type }) => type === 'bulk-check')).toHaveLength(5);
    const repeated = world.records.flatMap((one) =>
      one.type === 'uncounted' && one.purpose === 'repeated pass' && one.load.of === 'bulk' ? [one] : [],
    );
    expect(repeated).toHaveLength(5);
    expect(world.events.filter(({ kind }) => kind === 'whole-slices')[0]).toMatchObject({
      reason: 'idle work',
      by: { laterMs: expect.any(Number) },
    });
    // What was made twice is no price of later rounds.
    expect(record.onceMs).toBeGreaterThan(5000);
    await runRound(world.context, 2);
    expect(passesOf(world).at(-1)).toMatchObject({ round: 2, wholeSlices: 'idle work', turnsPerArm: 1 });
    expect(passesOf(world)).toHaveLength(3);
  });

  it('does so where an arm loses much of its time at the ends of its turns, too', async () => {
    const world = fakeWorld(bulkScenario);
    const first = world.context.arms[1];
    world.bulkIdleMs = (arm) => (arm === first?.name ? 200 : 0);
    await runRound(world.context, 1);
    expect(passesOf(world).map(({ repeated, wholeSlices }) => [repeated, wholeSlices])).toEqual([
      [true, undefined],
      [undefined, 'turn ends'],
    ]);
  });

  it('writes what came before to disk before the loads', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const first = world.log.findIndex((line) => line.startsWith('bulk'));
    expect(world.log[first - 1]).toBe('checkpoint');
  });

  it('takes the counters of a load before anything else touches the database', async () => {
    const world = fakeWorld(bulkScenario);
    await runRound(world.context, 1);
    const slices = world.records.flatMap((record) =>
      record.type === 'slice' && record.load.of === 'bulk' ? [record.slice] : [],
    );
    const counted = world.records.flatMap((record) => (record.type === 'counters' ? [record.slice] : []));
    expect(counted).toEqual(expect.arrayContaining(slices));
    const check = world.records.findIndex(({ type }) => type === 'bulk-check');
    expect(world.records.slice(0, check).filter(({ type }) => type === 'counters').length).toBeGreaterThan(0);
  });
});
