import { describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { loadSize } from '../../../../src/journal/load-level.ts';
import type { PassRecord } from '../../../../src/journal/pass-records.ts';
import type { SliceRecord } from '../../../../src/journal/records.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { type FakeWorld, fakeWorld, SWITCH_MS } from '../fake-world.ts';

const scenario = (levels = '[10, 25, 35]', lengths = 'slice: 4s') =>
  parseScenario(
    `title: x
target: { service: documents, env: { ADMIN: on } }
sweep: { pool: { live: { request: { path: /admin/settings, body: { poolMax: "\${level}" } } }, levels: ${levels} } }
control: { pool: 10 }
load: { connections: [1, 25], ${lengths}, workload: upsert-schools }
`,
    'live.yaml',
  );

const ARMS = ['pool=10', 'pool=10 (A/A)', 'pool=25', 'pool=35'];
const passesOf = (world: FakeWorld): PassRecord[] => world.records.filter((record) => record.type === 'pass');
const slicesOf = (world: FakeWorld): SliceRecord[] => world.records.filter((record) => record.type === 'slice');
const count = (world: FakeWorld, verb: string): number =>
  world.log.filter((line) => line.split(' ')[0] === verb).length;

describe('a round of settings that are switched live', () => {
  it('has one database and one process, each stopped and dropped once', async () => {
    const world = fakeWorld(scenario());
    await runRound(world.context, 1);
    for (const verb of ['copy', 'start', 'stop', 'drop']) expect(count(world, verb), verb).toBe(1);
    expect([world.running.size, world.databases.size]).toEqual([0, 0]);
    const arms = world.records.filter((record) => record.type === 'arm');
    expect(arms.map(({ arm }) => arm).sort()).toEqual(ARMS);
    for (const { arm, repeat } of arms) expect(repeat).toBe(arm.endsWith('(A/A)'));
  });

  it('switches to every setting before anything is measured, and before every turn', async () => {
    const world = fakeWorld(scenario());
    await runRound(world.context, 1);
    const firstLoad = world.log.findIndex((line) => line.startsWith('load'));
    const before = world.log.slice(0, firstLoad).filter((line) => line.startsWith('request'));
    expect(new Set(before)).toEqual(new Set([10, 25, 35].map((max) => `request /admin/settings {"poolMax":${max}}`)));
    const steps = world.log.slice(firstLoad).filter((line) => /^(load|request)/.test(line));
    const first = before.at(-1) ?? '';
    const counted = passesOf(world).flatMap(({ order, arms }) => order.map((arm) => arms[arm]));
    const turns = [first, ...steps].flatMap((line, at, all) =>
      line.startsWith('load') ? [/poolMax":(\d+)/.exec(all[at - 1] ?? '')?.[1]] : [],
    );
    expect(turns.slice(-counted.length)).toEqual(counted.map((arm) => /pool=(\d+)/.exec(arm ?? '')?.[1]));
  });

  it('gives every setting two turns in every block, once forwards and once backwards', async () => {
    const world = fakeWorld(scenario());
    await runRound(world.context, 1);
    expect(passesOf(world)).toHaveLength(2);
    for (const { live, order, arms, turnsPerArm, turnMs } of passesOf(world)) {
      expect([...arms].sort()).toEqual(ARMS);
      expect(live?.blocks).toBe(turnsPerArm / 2);
      expect(live?.switches).toBe(order.length);
      expect(live?.switchMs).toBeCloseTo(order.length * SWITCH_MS);
      expect(live?.settleMs).toBe(100);
      expect(turnMs).toBeGreaterThanOrEqual(100);
      for (let at = 0; at < order.length; at += 8) {
        const there = order.slice(at, at + 4);
        expect(new Set(there).size).toBe(4);
        expect(order.slice(at + 4, at + 8)).toEqual([...there].reverse());
      }
    }
  });

  it('counts the same load of every setting, and nothing of what comes right after a switch', async () => {
    const world = fakeWorld(scenario());
    await runRound(world.context, 1);
    for (const { windowMs, loadMs, turns } of slicesOf(world)) {
      const turnsOfArm = turns?.ok.length ?? 0;
      expect(loadMs).toBeCloseTo(4000 + 100 * turnsOfArm);
      expect(windowMs).toBeCloseTo(4000);
    }
    expect(slicesOf(world)).toHaveLength(8);
  });

  it('warms the one process once, under each setting', async () => {
    const world = fakeWorld(scenario());
    await runRound(world.context, 1);
    const warmups = world.records.filter((record) => record.type === 'warmup');
    expect(warmups.map(({ arm }) => arm).sort()).toEqual(ARMS);
    const served = warmups.map(({ outcomes }) => outcomes['200'] ?? 0);
    // 3,000 are what warms a process, however many settings it has.
    for (const requests of served) expect(requests / 750).toBeCloseTo(1, 1);
    const timed = fakeWorld(scenario('[10, 25, 35]', 'slice: 4s, warmup: 6s'));
    await runRound(timed.context, 1);
    const times = timed.records.filter((record) => record.type === 'warmup');
    expect(times.map(({ durationMs }) => Math.round(durationMs))).toEqual([1500, 1500, 1500, 1500]);
  });

  it('is over with a clear error, and leaves nothing, where a switch is refused before anything is measured', async () => {
    const world = fakeWorld(scenario());
    world.onSwitch = ({ requests: [request] }) => {
      if (JSON.stringify(request?.body) === '{"poolMax":35}') throw new PgsweepError('target', 'PUT was answered 400');
    };
    await expect(runRound(world.context, 1)).rejects.toThrow(
      'the running service was not switched to "pool=35": PUT was answered 400',
    );
    expect(count(world, 'load')).toBe(0);
    expect([count(world, 'stop'), count(world, 'drop')]).toEqual([1, 1]);
    expect(world.records.filter(({ type }) => type === 'slice' || type === 'round')).toEqual([]);
  });

  it('has no record of a pass in which a switch was refused', async () => {
    const world = fakeWorld(scenario());
    let switches = 0;
    world.onSwitch = () => {
      if (++switches > 60) throw new PgsweepError('target', 'the service forgot how');
    };
    await expect(runRound(world.context, 1)).rejects.toThrow(/forgot how/);
    expect(count(world, 'load')).toBeGreaterThan(0);
    expect(world.records.filter(({ type }) => type === 'slice' || type === 'round')).toEqual([]);
    expect([world.running.size, world.databases.size]).toEqual([0, 0]);
  });

  it('has slices of the length that the run chose, in blocks, with what switches cost in it', async () => {
    const world = fakeWorld(scenario('[10, 25, 35]', 'slice: auto'));
    const load = { connections: 25 };
    world.context.load.schedule.take({
      warmups: [{ requests: 900, mostMs: 2000 }],
      levels: [{ load, sliceMs: 8000, withinPerS: null, between: 0 }],
    });
    const { phases } = await runRound(world.context, 1);
    const [chosen, first] = [25, 1].map((connections) =>
      passesOf(world).find((pass) => loadSize(pass.load) === connections),
    );
    for (const [pass, sliceMs] of [
      [chosen, 8000],
      [first, 2000],
    ] as const)
      expect((pass?.turnMs ?? 0) * (pass?.turnsPerArm ?? 0)).toBeCloseTo(sliceMs);
    expect(chosen?.live?.blocks).toBe((chosen?.turnsPerArm ?? 0) / 2);
    const slicesMs = slicesOf(world).reduce((sum, { loadMs }) => sum + loadMs, 0);
    const switchesMs = passesOf(world).reduce((sum, { live }) => sum + (live?.switchMs ?? 0), 0);
    expect(phases.sliceMs).toBeCloseTo(slicesMs + switchesMs);
    const wanted = world.records.flatMap((record) => (record.type === 'warmup' ? [record.wanted] : []));
    expect(wanted).toEqual([900, 900, 900, 900]);
  });

  it('tells blocks, for those who watch', async () => {
    const world = fakeWorld(scenario());
    await runRound(world.context, 1);
    const started = world.events.filter((event) => event.kind === 'pass-started');
    expect(started.map(({ blocks }) => blocks)).toEqual(passesOf(world).map(({ live }) => live?.blocks));
  });

  it('has no groups, however many settings there are', async () => {
    const levels = Array.from({ length: 30 }, (_, index) => 10 + index);
    const world = fakeWorld(scenario(JSON.stringify(levels)));
    await runRound(world.context, 1);
    expect(passesOf(world).map(({ arms, group }) => [arms.length, group])).toEqual([
      [31, undefined],
      [31, undefined],
    ]);
  });
});
