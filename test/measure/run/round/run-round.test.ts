import { describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { loadSize } from '../../../../src/journal/load-level.ts';
import type { PassRecord } from '../../../../src/journal/pass-records.ts';
import type { RoundRecord, SliceRecord } from '../../../../src/journal/records.ts';
import { PAUSE_MS } from '../../../../src/measure/probe/meter/pass-counters.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import type { ArmToCopy } from '../../../../src/measure/run/servers/arm-databases.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { COPY_MS, type FakeWorld, fakeWorld, RATE, START_MS, stepsOf } from '../fake-world.ts';

const verbs = (log: readonly string[]): string[] => log.map((line) => line.split(' ')[0] ?? '');

const noFailures = { statuses: {}, errors: 0, timeouts: 0 };
const slicesOf = (world: FakeWorld): SliceRecord[] => world.records.filter((record) => record.type === 'slice');
const passesOf = (world: FakeWorld): PassRecord[] => world.records.filter((record) => record.type === 'pass');
/** The turns of load, in order: `[arm, connections, milliseconds]`. */
const turnsOf = (world: FakeWorld): [string, number, number][] =>
  world.log.flatMap((line) => {
    const [, arm = '', connections, ms] = /^load (.*) (\d+) (\d+)$/.exec(line) ?? [];
    return connections === undefined ? [] : [[arm, Number(connections), Number(ms)]];
  });

const trips = (p50Us: number) => ({ trips: 100, p50Us, p99Us: p50Us });

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

describe('a round', () => {
  it('brings every arm to life, warms all, measures every cell, and stops every arm', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    expect(stepsOf(world.log)).toEqual(['checkpoint', 'copy and start', 'checkpoint', 'load', 'stop', 'drop']);
    expect(verbs(world.log).filter((verb) => verb === 'start')).toHaveLength(5);
    expect(
      slicesOf(world)
        .map(({ arm, load }) => `${arm} ${loadSize(load)}`)
        .sort(),
    ).toEqual(
      ['pool=10', 'pool=10 (A/A)', 'pool=25', 'pool=35', 'pool=50']
        .flatMap((arm) => [1, 25, 50].map((connections) => `${arm} ${connections}`))
        .sort(),
    );
    expect(world.running.size).toBe(0);
    expect(world.databases.size).toBe(0);
  });

  it("counts Postgres's own work for each arm in each pass where a variant sets what decides it, and only there", async () => {
    const usual = testScenario();
    const settings = { max_wal_size: '64MB' };
    const treatment = { settings, dropIndex: [], createIndex: [], hideIndex: [], sql: [] };
    const variants = usual.variants.map((variant, index) => (index === 1 ? { ...variant, treatment } : variant));
    for (const scenario of [usual, { ...usual, variants }]) {
      const world = fakeWorld(scenario);
      // Each look finds two checkpoints more: it is looked at before a pass and after it.
      let looks = 0;
      world.housekeeping = () => ({ checkpoints: 2 * Math.floor(looks++ / 5), autovacuums: 7, autoanalyzes: 7 });
      await runRound(world.context, 1);
      const found = slicesOf(world).map(({ housekeeping }) => housekeeping);
      expect(found).toHaveLength(15);
      const each = { checkpoints: 2, autovacuums: 0, autoanalyzes: 0 };
      expect(found).toEqual(found.map(() => (scenario === usual ? undefined : each)));
    }
  });

  it('opens what stands before each database, looks at it once all arms live, and closes it when its service has ended', async () => {
    const world = fakeWorld(testScenario());
    const seen = { asked: { rttMs: 1 }, direct: trips(100), distant: trips(1300) };
    const openLink: typeof world.context.stack.openLink = async ({ variant, databaseUrl }) => {
      world.log.push(`open ${variant.name}`);
      return {
        url: databaseUrl,
        pids: [],
        async verify() {
          world.log.push(`verify ${variant.name}`);
          return variant.name === 'pool=25' ? { distance: seen } : {};
        },
        async close() {
          expect(world.running.has(variant.name)).toBe(false);
          world.log.push(`close ${variant.name}`);
        },
      };
    };
    await runRound({ ...world.context, stack: { ...world.context.stack, openLink } }, 1);
    const steps = verbs(world.log).filter((verb) => ['open', 'start', 'verify', 'load', 'close'].includes(verb));
    expect(steps.filter((verb, index) => verb !== steps[index - 1]).slice(-4)).toEqual([
      'start',
      'verify',
      'load',
      'close',
    ]);
    expect(steps.filter((verb) => verb === 'open')).toHaveLength(5);
    expect(steps.filter((verb) => verb === 'close')).toHaveLength(5);
    expect(world.records.filter(({ type }) => type === 'link')).toEqual([
      { type: 'link', round: 1, arm: 'pool=25', variant: 'pool=25', distance: seen },
    ]);
    const finding = expect.objectContaining({ name: 'distance', found: expect.stringContaining('"pool=25" is ') });
    expect(world.events).toContainEqual({ kind: 'warning', warning: { kind: 'examined', finding } });
  });

  it('closes what stands before a database whose service does not start', async () => {
    const world = fakeWorld(testScenario());
    const open = new Set<string>();
    world.onStart = (arm) => {
      if (arm === 'pool=25') throw new Error('does not start');
    };
    const openLink: typeof world.context.stack.openLink = async ({ databaseUrl }) => {
      open.add(databaseUrl);
      const close = async (): Promise<void> => void open.delete(databaseUrl);
      return { url: databaseUrl, pids: [], verify: async () => ({}), close };
    };
    await expect(runRound({ ...world.context, stack: { ...world.context.stack, openLink } }, 1)).rejects.toThrow(
      'does not start',
    );
    expect(open.size).toBe(0);
  });

  it('tells a load generator whose arm it is, and writes down what that tells besides', async () => {
    const world = fakeWorld(testScenario());
    const { load } = world.context;
    const variants: unknown[] = [];
    const generator: typeof load.generator = {
      ...load.generator,
      async open(job) {
        variants.push(job.variant);
        const stream = await load.generator.open(job);
        const probe = { probe: 'k6', values: { k6_iterations_per_s: 7 } };
        return { ...stream, close: async () => ({ ...(await stream.close()), probe }) };
      },
    };
    await runRound({ ...world.context, load: { ...load, generator } }, 1);
    expect(variants).toContainEqual({ name: 'pool=10', factors: { pool: 10 } });
    const told = world.records.filter((record) => record.type === 'probe');
    expect(told.map(({ slice, arm, values }) => ({ slice, arm, values }))).toEqual(
      slicesOf(world).map(({ slice, arm }) => ({ slice, arm, values: { k6_iterations_per_s: 7 } })),
    );
  });

  it('copies databases one after the other, starts each service once its copy is there, and loads none before a checkpoint of all', async () => {
    const world = fakeWorld(testScenario());
    const { stack } = world.context;
    const { databases } = stack;
    if (databases === null) throw new Error('the fake world has databases');
    let [copying, most, copied] = [0, 0, 0];
    const slow: typeof databases = {
      ...databases,
      async copy(name, variant) {
        most = Math.max(most, ++copying);
        await new Promise((resolve) => setTimeout(resolve, 1));
        // Every copy but the first takes longer than the service before it.
        await expect.poll(() => world.log.filter((line) => line.startsWith('start'))).toHaveLength(copied++);
        copying--;
        return databases.copy(name, variant);
      },
    };
    await runRound({ ...world.context, stack: { ...stack, databases: slow } }, 1);
    expect([most, copied]).toEqual([1, 5]);
    const lastCopy = world.log.findLastIndex((line) => line.startsWith('copy'));
    expect(world.log.lastIndexOf('checkpoint')).toBeGreaterThan(lastCopy);
    expect(world.log.lastIndexOf('checkpoint')).toBeLessThan(world.log.findIndex((line) => line.startsWith('load')));
  });

  it('warms all arms in turns until each has served as many requests as the others', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    const warmups = world.records.filter((record) => record.type === 'warmup');
    expect(warmups.map(({ outcomes, turnsMs, wanted, load }) => [outcomes, turnsMs, wanted, loadSize(load)])).toEqual(
      Array(5).fill([{ '200': 3000 }, [500, 500, 200], 3000, 50]),
    );
    const arms = turnsOf(world)
      .slice(0, 15)
      .map(([arm]) => arm);
    for (let cycle = 0; cycle < 3; cycle++) expect(new Set(arms.slice(5 * cycle, 5 * cycle + 5)).size).toBe(5);
  });

  it('gives a slower arm more turns of warm-up, and no more than there is time for', async () => {
    const world = fakeWorld(testScenario());
    world.speed = (arm) => (arm === 'pool=25' ? 0.5 : arm === 'pool=50' ? 0.1 : 1);
    await runRound(world.context, 1);
    const warmups = world.records.filter((record) => record.type === 'warmup');
    const of = (name: string) => warmups.find(({ arm }) => arm === name);
    expect(of('pool=25')).toMatchObject({ outcomes: { '200': 3000 }, durationMs: 2400 });
    // In 5 s.
    expect(of('pool=50')).toMatchObject({ outcomes: { '200': 1250 }, durationMs: 5000, wanted: 3000 });
    expect(of('pool=10')).toMatchObject({ outcomes: { '200': 3000 }, durationMs: 1200 });
  });

  it('makes up for turns of the warm-up in which the run was stopped', async () => {
    const world = fakeWorld(testScenario());
    world.speed = (arm) => (arm === 'pool=50' ? 0.1 : 1);
    let pauses = 1;
    world.pause = (arm) => (arm === 'pool=50' && pauses-- > 0 ? 20_000 : 0);
    await runRound(world.context, 1);
    const own = world.records.find((record) => record.type === 'warmup' && record.arm === 'pool=50');
    expect(own).toMatchObject({ outcomes: { '200': 1250 } });
  });

  it('makes up for them where the warm-up has a length in place of requests', async () => {
    const scenario = testScenario();
    const { warmupRequests: _, ...load } = scenario.load;
    const world = fakeWorld({ ...scenario, load: { ...load, warmupMs: 500 } });
    let pauses = 1;
    world.pause = (arm) => (arm === 'pool=50' && pauses-- > 0 ? 20_000 : 0);
    await runRound(world.context, 1);
    const warmed = world.records.flatMap((record) => (record.type === 'warmup' ? [record] : []));
    const answered = warmed.map(({ outcomes }) => outcomes['200']);
    expect(answered).toEqual(Array(answered.length).fill(answered[0]));
  });

  it('discards the slice in which the run was stopped, and keeps its turns: nothing else was slow', async () => {
    const world = fakeWorld(testScenario());
    let pauses = 1;
    world.pause = (arm, { load }) => {
      if (arm !== 'pool=25' || loadSize(load) !== 25) return 0;
      const isTried = world.records.some((one) => one.type === 'uncounted' && loadSize(one.load) === 25);
      return isTried && pauses-- > 0 ? 20_000 : 0;
    };
    await runRound(world.context, 1);
    const discarded = slicesOf(world).filter(({ voided = [] }) => voided.length > 0);
    expect(discarded.map(({ arm, load, voided }) => [arm, loadSize(load), voided])).toEqual([
      ['pool=25', 25, ['paused']],
    ]);
    await runRound(world.context, 2);
    expect(passesOf(world).map(({ wholeSlices }) => wholeSlices)).toEqual(Array(6).fill(undefined));
  });

  it('warms for as long as the scenario says', async () => {
    const scenario = testScenario();
    const { warmupRequests: _, ...load } = scenario.load;
    const world = fakeWorld({ ...scenario, load });
    await runRound(world.context, 1);
    const warmups = world.records.filter((record) => record.type === 'warmup');
    expect(warmups.map(({ durationMs, turns, wanted }) => [durationMs, turns?.length, wanted])).toEqual(
      Array(5).fill([5000, 10, undefined]),
    );
  });

  it('gives each arm exactly its slice of each load level, in turns of 5 latencies or more', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    for (const { turnMs, turnsPerArm, load, order, arms, wholeSlices } of passesOf(world)) {
      expect(turnMs * turnsPerArm).toBeCloseTo(4000);
      expect(turnMs).toBeGreaterThanOrEqual(Math.max(50, (5 * 1000 * loadSize(load)) / RATE));
      expect(order).toHaveLength(turnsPerArm * arms.length);
      expect(wholeSlices).toBeUndefined();
    }
    for (const { loadMs, turns } of slicesOf(world)) {
      expect(loadMs).toBeCloseTo(4000);
      expect(turns?.gapMaxMs).toBeLessThan(4000);
    }
  });

  it('counts all arms of a pass from the same moment of their turns on, when the queue of the slowest is full', async () => {
    const world = fakeWorld(testScenario());
    world.speed = (arm) => (arm === 'pool=25' ? 0.25 : 1);
    await runRound(world.context, 1);
    for (const { pass, load, leadMs = 0, turnMs } of passesOf(world)) {
      const latencyMs = (1000 * loadSize(load)) / (0.25 * RATE);
      expect(leadMs).toBeGreaterThanOrEqual(Math.min(latencyMs, 0.19 * turnMs));
      const windows = slicesOf(world).flatMap((slice) => (slice.pass === pass ? [Math.round(slice.windowMs)] : []));
      expect(windows).toEqual(Array(5).fill(windows[0]));
    }
  });

  it('records passes with their slices and counters, and the round last', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 3);
    const types = world.records.map(({ type }) => type);
    expect(types.filter((type) => type === 'arm')).toHaveLength(5);
    const steps = types.filter((type, index) => type !== types[index - 1]);
    const first = ['arm', 'warmup', 'uncounted', 'idle', 'uncounted', 'pass', 'slice', 'counters'];
    expect(steps.slice(0, first.length)).toEqual(first);
    expect(types.at(-1)).toBe('round');
    const counters = world.records.filter((record) => record.type === 'counters');
    expect(counters).toHaveLength(15);
    for (const { slice, arm, delta, loadMs, whole, complete } of counters) {
      const measured = slicesOf(world).find((record) => record.slice === slice);
      expect(measured?.arm).toBe(arm);
      expect(complete).toBe('turns');
      // A part of the slice, and exactly the requests of that part.
      expect(loadMs).toBeGreaterThanOrEqual((measured?.loadMs ?? 0) / 4);
      expect(delta.xact_commit).toBe(whole?.statuses['200']);
    }
  });

  it('counts an arm later in a pass, or not at all, where a session that the pass has not used may hold work back', async () => {
    const coveredOf = async (sliceMs: number): Promise<Record<string, number>> => {
      const scenario = testScenario();
      const load = { ...scenario.load, levels: [{ connections: 50 }], sliceMs };
      const world = fakeWorld({ ...scenario, load });
      // By their timer, all have reported 10 s after the warm-up.
      world.holdsBack = (arm, unusedMs) => arm === 'pool=50' && unusedMs < 10_000;
      await runRound(world.context, 2);
      const counters = world.records.flatMap((record) => (record.type === 'counters' ? [record] : []));
      for (const { delta, whole } of counters) expect(delta.xact_commit).toBe(whole?.statuses['200']);
      const isCounted = counters.some(({ arm }) => arm === 'pool=50');
      const [pass] = passesOf(world);
      expect(pass?.withoutCounters).toEqual(isCounted ? undefined : { 'pool=50': 'session held back' });
      return Object.fromEntries(counters.map(({ arm, loadMs }) => [arm, loadMs]));
    };
    const { 'pool=50': late = 0, 'pool=25': early = 0 } = await coveredOf(4000);
    expect(early).toBeGreaterThan(3000);
    expect(late).toBeGreaterThan(1000);
    expect(late).toBeLessThan(0.6 * early);
    // A pass of 5 s is over before they have.
    expect(Object.keys(await coveredOf(1000)).sort()).toEqual(['pool=10', 'pool=10 (A/A)', 'pool=25', 'pool=35']);
  });

  it('counts no arm in a pass in which the clock of its server was set', async () => {
    const scenario = testScenario();
    const world = fakeWorld({ ...scenario, load: { ...scenario.load, levels: [{ connections: 50 }] } });
    world.clockSet = true;
    await runRound(world.context, 2);
    expect(world.records.filter(({ type }) => type === 'counters')).toEqual([]);
    const reasons = Object.values(passesOf(world)[0]?.withoutCounters ?? {});
    expect(reasons).toEqual(Array(5).fill('clock set'));
  });

  it('records what came of load that counts for no slice: of the warm-up and of turns that were tried', async () => {
    const world = fakeWorld(testScenario());
    world.failing = (arm, requests) =>
      arm === 'pool=25' ? { statuses: { '500': Math.floor(requests / 10) }, errors: 2, timeouts: 1 } : noFailures;
    await runRound(world.context, 1);
    const warmups = world.records.filter((record) => record.type === 'uncounted');
    expect(warmups.map(({ purpose, load }) => `${purpose} ${loadSize(load)}`)).toEqual(
      ['warm-up 50', 'trial 1', 'trial 25', 'trial 50'].flatMap((one) => Array(5).fill(one)),
    );
    const failing = warmups.find(({ arm }) => arm === 'pool=25');
    expect(failing).toMatchObject({ outcomes: { errors: 6, timeouts: 3 } });
    expect(failing?.ok).toBe(failing?.outcomes.statuses['200']);
    expect(failing?.outcomes.statuses['500']).toBeGreaterThan(250);
    const { outcomes, ok } = warmups.find(({ arm }) => arm === 'pool=10') ?? {};
    expect([outcomes, ok]).toEqual([{ ...noFailures, statuses: { '200': 3000 } }, 3000]);
  });

  it('ends after the warm-up where a service answers only errors, with the first of them and its last words', async () => {
    const world = fakeWorld(testScenario());
    world.failing = (arm, requests) =>
      arm === 'pool=25' ? { statuses: { '500': requests }, errors: 0, timeouts: 0 } : noFailures;
    const error = await runRound(world.context, 1).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PgsweepError);
    expect(error).toMatchObject({ code: 'target' });
    expect((error as PgsweepError).message).toMatch(
      /^the service of "pool=25" answered none of its \d+ requests of the warm-up as expected: \d+ x 500\. The first: 500 no such table\. Its last lines:\nlast words$/,
    );
    expect(slicesOf(world)).toEqual([]);
    expect(world.running.size).toBe(0);
  });

  it('names a service that has to be killed', async () => {
    const world = fakeWorld(testScenario());
    world.deaf = (arm) => arm === 'pool=35';
    await runRound(world.context, 1);
    expect(world.records.filter((record) => record.type === 'killed')).toEqual([
      { type: 'killed', round: 1, arm: 'pool=35', variant: 'pool=35', afterMs: 5000 },
    ]);
    expect(world.events).toContainEqual({ kind: 'service-killed', arm: 'pool=35', afterMs: 5000 });
  });

  it('names a service that has to be killed in a round that fails, once', async () => {
    const world = fakeWorld(testScenario());
    world.deaf = (arm) => arm === 'pool=35';
    world.onLoad = () => {
      throw new PgsweepError('load', 'no load');
    };
    await expect(runRound(world.context, 1)).rejects.toThrow('no load');
    const killed = { arm: 'pool=35', afterMs: 5000 };
    expect(world.events.filter(({ kind }) => kind === 'service-killed')).toEqual([
      { kind: 'service-killed', ...killed },
    ]);
    expect(world.records.filter(({ type }) => type === 'killed')).toEqual([
      { type: 'killed', round: 1, variant: 'pool=35', ...killed },
    ]);
  });

  it('says where its time went', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    const { durationMs, phases } = await runRound(world.context, 2);
    expect(phases.bootMs).toBe(5 * (COPY_MS + START_MS));
    expect(phases.warmupMs).toBe(5 * 1200);
    expect(phases.sliceMs).toBeCloseTo(60_000);
    // Two pauses in each pass, where the turns of the others do not last a second; before the first cycle there are none.
    const passes = passesOf(world).slice(3);
    const pauses = passes.map(({ turnMs }) => Math.max(0, PAUSE_MS - 4 * turnMs));
    expect(Math.max(...pauses)).toBeGreaterThan(0);
    const first = passes.flatMap(({ pass, turnMs, turnsPerArm }, index) => {
      const slice = slicesOf(world).find((one) => one.round === 2 && one.pass === pass)?.slice;
      const counters = world.records.find(
        (record) => record.type === 'counters' && record.round === 2 && record.slice === slice,
      );
      const covered = counters?.type === 'counters' ? Math.round(counters.loadMs / turnMs) : 0;
      return covered === turnsPerArm - 1 ? [PAUSE_MS - (pauses[index] ?? 0)] : [];
    });
    expect(first.length).toBeGreaterThan(0);
    expect(phases.waitMs).toBeCloseTo(sumOf([...pauses, ...pauses, ...first]));
    expect(phases.stopMs).toBe(0);
    const { bootMs, warmupMs, sliceMs, waitMs } = phases;
    expect(durationMs).toBeCloseTo(bootMs + warmupMs + sliceMs + waitMs);
  });

  it('looks at arms that are left alone and tries the latency of each level in the first round of a session only', async () => {
    const world = fakeWorld(testScenario());
    await runRound(world.context, 1);
    await runRound(world.context, 2);
    const idle = world.records.filter((record) => record.type === 'idle');
    expect(idle.map(({ round, cpuMs, durationMs }) => [round, cpuMs, durationMs])).toEqual(Array(5).fill([1, 3, 3000]));
    expect(turnsOf(world).filter(([, , ms]) => ms === 150)).toHaveLength(5 * 3 * 2);
  });

  it('gives every arm the same requests in a pass, and others in the next', async () => {
    const world = fakeWorld(testScenario());
    const seeds = new Map<number, Set<number>>();
    await runRound(world.context, 1);
    world.onLoad = (job) => {
      seeds.set(loadSize(job.load), (seeds.get(loadSize(job.load)) ?? new Set()).add(job.seed));
    };
    await runRound(world.context, 2);
    // Of 50 connections those of the warm-up, too.
    expect([...seeds].sort(([a], [b]) => a - b).map(([, set]) => set.size)).toEqual([1, 1, 2]);
    expect(new Set([...seeds.values()].flatMap((set) => [...set])).size).toBe(4);
  });
});

describe('whole slices', () => {
  const order = (world: FakeWorld): string[] => passesOf(world).map(({ order: turns }) => turns.join());

  it('do not wait for counters where that takes long beside them', async () => {
    const scenario = testScenario();
    const variants = scenario.variants.slice(0, 2);
    const world = fakeWorld({ ...scenario, variants, load: { ...scenario.load, turn: 'off' } });
    await runRound(world.context, 1);
    const first = world.events.length;
    const { durationMs } = await runRound(world.context, 2);
    const waits = world.events.slice(first).flatMap((event) => (event.kind === 'waiting' ? [event.forMs] : []));
    expect(sumOf(waits)).toBeLessThan(0.15 * durationMs);
    // Each pass says which arms have none for that reason.
    const counted = world.records.flatMap((record) =>
      record.type === 'counters' ? [`${record.round} ${record.slice}`] : [],
    );
    const without = passesOf(world).flatMap(({ round, pass, withoutCounters = {} }) =>
      slicesOf(world).flatMap((slice) =>
        slice.round === round && slice.pass === pass && slice.arm in withoutCounters ? [slice] : [],
      ),
    );
    expect(without.length).toBeGreaterThan(0);
    expect(without.filter(({ round, slice }) => counted.includes(`${round} ${slice}`))).toEqual([]);
    const reasons = passesOf(world).flatMap(({ withoutCounters = {} }) => Object.values(withoutCounters));
    expect(new Set(reasons)).toEqual(new Set(['wait too long']));
  });

  it('wait for counters where the warm-up took so long that the wait is a small part of the round', async () => {
    const scenario = testScenario();
    const one = { variants: scenario.variants.slice(0, 1), load: { ...scenario.load, turn: 'off' as const } };
    const countedWith = async (warmingMs: number): Promise<string[]> => {
      const world = fakeWorld({ ...scenario, ...one });
      world.onLoad = () => {
        if (!world.records.some(({ type }) => type === 'warmup')) world.clock.advance(warmingMs);
      };
      await runRound(world.context, 1);
      return world.records.flatMap((record) => (record.type === 'counters' ? [record.arm] : []));
    };
    expect(await countedWith(0)).toEqual([]);
    expect(await countedWith(30_000)).toHaveLength(2 * scenario.load.levels.length);
  });

  it('stand where the scenario wants them, in the same order in every pass, with counters of each', async () => {
    const scenario = testScenario();
    const world = fakeWorld({ ...scenario, load: { ...scenario.load, turn: 'off' } });
    await runRound(world.context, 1);
    expect(passesOf(world).map(({ wholeSlices, turnsPerArm }) => [wholeSlices, turnsPerArm])).toEqual(
      Array(3).fill(['turned off', 1]),
    );
    expect(new Set(order(world)).size).toBe(1);
    const counters = world.records.filter((record) => record.type === 'counters');
    expect(counters.filter(({ complete }) => complete === 'closed')).toHaveLength(5);
    for (const { slice, delta, whole } of counters) {
      const measured = slicesOf(world).find((record) => record.slice === slice);
      expect(whole).toBeUndefined();
      expect(delta.xact_commit).toBe((RATE * (measured?.loadMs ?? 0)) / 1000);
    }
  });

  it('are what a rate has: no turn is tried', async () => {
    const scenario = testScenario();
    const openLoop = { arrivals: 'poisson', inFlight: 400 } as const;
    const world = fakeWorld({ ...scenario, load: { ...scenario.load, levels: [{ rate: 200 }], openLoop } });
    const jobs: unknown[] = [];
    world.onLoad = (job) => jobs.push(job.openLoop);
    for (const round of [2, 3]) await runRound(world.context, round);
    expect(passesOf(world).map(({ wholeSlices, turnsPerArm }) => [wholeSlices, turnsPerArm])).toEqual(
      Array(2).fill(['kind of load', 1]),
    );
    const purposes = world.records.flatMap((record) => (record.type === 'uncounted' ? [record.purpose] : []));
    expect(new Set(purposes)).toEqual(new Set(['warm-up']));
    expect(new Set(jobs)).toEqual(new Set([openLoop]));
    expect(slicesOf(world).flatMap(({ voided }) => voided)).toEqual([]);
  });

  it('are what so many requests and no more have, in one turn of as long as they may take', async () => {
    const scenario = testScenario();
    const bounded = { count: 900, limitMs: 9000 };
    const world = fakeWorld({ ...scenario, load: { ...scenario.load, levels: [{ connections: 25 }], bounded } });
    const seen: [number, unknown][] = [];
    const { load } = world.context;
    const { open } = load.generator;
    const generator: typeof load.generator = {
      ...load.generator,
      async open(job) {
        const stream = await open(job);
        return {
          ...stream,
          turn(turn, options) {
            if (job.bounded !== undefined) seen.push([turn.durationMs, job.bounded]);
            return stream.turn(turn, options);
          },
        };
      },
    };
    await runRound({ ...world.context, load: { ...load, generator } }, 1);
    expect(seen).toEqual(Array(5).fill([9000, bounded]));
  });

  it('stand where latency leaves no shorter turns', async () => {
    const scenario = testScenario();
    const levels = [{ connections: 1 }, { connections: 1200 }];
    const world = fakeWorld({ ...scenario, load: { ...scenario.load, levels } });
    await runRound(world.context, 1);
    const byLoad = new Map(passesOf(world).map(({ load, wholeSlices }) => [loadSize(load), wholeSlices]));
    expect(byLoad).toEqual(
      new Map([
        [1, undefined],
        [1200, 'latency'],
      ]),
    );
  });

  it('are made at once where an arm works in the turns of others, and from its second such round on for good', async () => {
    const world = fakeWorld(testScenario());
    let asked = 0;
    // Not when all are left alone, which is what the meter is asked for first.
    world.work = (arm) => (++asked > 15 && arm === 3 ? { idleCpuMs: 800 } : {});
    const inTurnsThenWhole = [
      [true, undefined],
      [false, 'idle work'],
    ];
    const seen: [boolean, string | undefined][][] = [];
    const made: RoundRecord[] = [];
    for (const round of [1, 2, 3]) {
      const before = passesOf(world).length;
      made.push(await runRound(world.context, round));
      const passes = passesOf(world).slice(before);
      seen.push(passes.map(({ repeated = false, wholeSlices }) => [repeated, wholeSlices]));
    }
    const twice = Array(3).fill(inTurnsThenWhole).flat();
    expect(seen).toEqual([twice, twice, Array(3).fill([false, 'idle work'])]);
    // The passes that were repeated are no price of later rounds.
    const [, repeating, last] = made;
    const slicesMs = last?.phases.sliceMs ?? 0;
    expect((repeating?.phases.sliceMs ?? 0) / slicesMs).toBeCloseTo(1, 1);
    expect(repeating?.onceMs).toBeGreaterThan(0.8 * slicesMs);
    expect(last?.onceMs).toBeUndefined();
    // Slices of the passes that count alone.
    for (const round of [1, 2, 3]) {
      const slices = slicesOf(world).filter((slice) => slice.round === round);
      expect(new Set(slices.map(({ slice }) => slice)).size).toBe(15);
      expect(slices).toHaveLength(15);
    }
    const events = world.events.flatMap((event) => (event.kind === 'whole-slices' ? [event.inRound] : []));
    expect(events).toEqual([1, 1, 1, undefined, undefined, undefined]);
    // What the sessions report late of the turns that do not count is no slice's.
    const counters = world.records.flatMap((record) => (record.type === 'counters' ? [record] : []));
    expect(counters.length).toBeGreaterThan(0);
    for (const { round, slice, delta } of counters) {
      const measured = slicesOf(world).find((record) => record.round === round && record.slice === slice);
      expect(delta.xact_commit).toBe((RATE * (measured?.loadMs ?? 0)) / 1000);
    }
  });

  it('are left again where an arm only seemed to work in the turns of others', async () => {
    const world = fakeWorld(testScenario());
    let asked = 0;
    world.work = (arm) => (++asked > 15 && asked <= 20 && arm === 3 ? { idleCpuMs: 800 } : {});
    await runRound(world.context, 1);
    await runRound(world.context, 2);
    const whole = passesOf(world).map(({ wholeSlices }) => wholeSlices);
    expect(whole).toEqual([undefined, 'idle work', ...Array(5).fill(undefined)]);
  });

  it.each(['shared buffers', 'memory'] as const)(
    'stand where databases crowd each other out of %s',
    async (crowded) => {
      const world = fakeWorld(testScenario());
      const { stack } = world.context;
      const { databases } = stack;
      if (databases === null) throw new Error('the fake world has databases');
      const crowding = async () => crowded;
      await runRound({ ...world.context, stack: { ...stack, databases: { ...databases, crowding } } }, 1);
      expect(passesOf(world).map(({ wholeSlices }) => wholeSlices)).toEqual(Array(3).fill(crowded));
    },
  );
});

describe('many arms', () => {
  const scenario = testScenario();
  const [control] = scenario.variants;
  if (control === undefined) throw new Error('a scenario without variants');
  const others = Array.from({ length: 20 }, (_, index) => ({ ...control, name: `variant ${index}` }));
  const many = { ...scenario, variants: [control, ...others] };
  const armsIn = (world: FakeWorld, round: number): string[][] => {
    const passes = passesOf(world).filter((pass) => pass.round === round && loadSize(pass.load) === 25);
    return [0, 1].map((number) => [...(passes.find(({ group }) => group === number)?.arms ?? [])]);
  };

  it('take turns in groups, each with control arms of its own, the same at every level and others in every round', async () => {
    const world = fakeWorld(many);
    await runRound(world.context, 1);
    await runRound(world.context, 2);
    const [first, second] = [armsIn(world, 1), armsIn(world, 2)];
    const isControl = (arm: string): boolean => arm.startsWith('pool=10');
    expect(first.map((arms) => arms.filter(isControl).sort())).toEqual([
      ['pool=10', 'pool=10 (A/A)'],
      ['pool=10 (A/A, group 2)', 'pool=10 (group 2)'],
    ]);
    const measured = first.flat().filter((arm) => !isControl(arm));
    expect(measured.sort()).toEqual(others.map(({ name }) => name).sort());
    expect(second).not.toEqual(first);
    for (const { round, load, group, arms } of passesOf(world))
      expect([loadSize(load), arms]).toEqual([loadSize(load), armsIn(world, round)[group ?? 0]]);
    // Of turns that are no longer than expected.
    for (const { turns, load } of slicesOf(world)) if (loadSize(load) < 50) expect(turns?.gapMaxMs).toBeLessThan(4000);
  });

  it('have each served as many requests as the others of their group when what counts begins', async () => {
    const world = fakeWorld(many);
    const served = new Map<string, number>();
    const { io } = world.context;
    const { append } = io.journal;
    const journal: typeof io.journal = {
      ...io.journal,
      append(record) {
        append(record);
        // A pass is written before its slices.
        if (record.type === 'pass') expect(new Set(record.arms.map((arm) => served.get(arm))).size).toBe(1);
        if (record.type !== 'uncounted' && record.type !== 'slice') return;
        const { statuses } = record.type === 'slice' ? record.whole : record.outcomes;
        served.set(record.arm, (served.get(record.arm) ?? 0) + sumOf(Object.values(statuses)));
      },
    };
    await runRound({ ...world.context, io: { ...io, journal } }, 1);
    expect(new Set(served.values()).size).toBe(1);
  });

  it('are as fast as the control of their group where nothing differs and requests make them faster', async () => {
    const world = fakeWorld(many);
    // A process that is compiled by use: twice as fast after some thousand requests.
    world.speed = (_, requests) => 0.5 + requests / (requests + 3000) / 2;
    for (const round of [1, 2]) await runRound(world.context, round);
    const slices = slicesOf(world);
    for (const slice of slices) {
      const ofControl = slices.filter(
        ({ round, pass, group, variant }) =>
          round === slice.round && pass === slice.pass && group === slice.group && variant === control.name,
      );
      expect(ofControl).toHaveLength(2);
      const [ok, against] = [slice.latency.count, sumOf(ofControl.map(({ latency }) => latency.count)) / 2];
      // Turns end with the request that was wanted last: a few of some thousand.
      expect(Math.abs(Math.log(ok / against))).toBeLessThan(0.01);
    }
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
    const { stack } = world.context;
    const { databases } = stack;
    if (databases === null) throw new Error('the fake world has databases');
    const index = { table: 't', name: 'ix', bytes: 8192, scans: 3 };
    const dropped = { kind: 'dropIndex', name: 'ix', found: 'ix dropped' } as const;
    const changing: typeof databases = {
      ...databases,
      async open(round: number) {
        world.log.push(`open ${round}`);
      },
      async copy(name: string, arm: ArmToCopy) {
        const copy = await databases.copy(name, arm);
        return arm.variant.treatment === undefined ? copy : { ...copy, treatment: [dropped] };
      },
      async indexes(name: string) {
        world.log.push(`indexes ${name}`);
        return [index];
      },
      async close() {
        world.log.push('close');
      },
    };
    await runRound({ ...world.context, stack: { ...stack, databases: changing } }, 7);
    const arms = world.records.filter((record) => record.type === 'arm');
    expect(arms.find(({ arm }) => arm === 'pool=25')).toMatchObject({ treatment: [dropped] });
    const others = arms.filter(({ arm }) => arm !== 'pool=25');
    expect(others.some((arm) => 'treatment' in arm)).toBe(false);
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
    const { stack } = world.context;
    const { databases } = stack;
    if (databases === null) throw new Error('the fake world has databases');
    let closed = 0;
    const failing = {
      ...databases,
      copy: () => Promise.reject(new PgsweepError('stack', 'no room')),
      async close() {
        closed++;
      },
    };
    await expect(runRound({ ...world.context, stack: { ...stack, databases: failing } }, 1)).rejects.toThrow('no room');
    expect(closed).toBe(1);
  });
});

describe('a round in which some arms have no Postgres', () => {
  const scenario = testScenario();
  const mixed = (turn: 'auto' | 'off'): FakeWorld =>
    fakeWorld({
      ...scenario,
      variants: scenario.variants.map((variant) =>
        variant.name === 'pool=25' ? { ...variant, database: 'none' } : variant,
      ),
      load: { ...scenario.load, turn },
    });

  it.each(['auto', 'off'] as const)(
    'measures them beside the others, with counters of the latter (turn: %s)',
    async (turn) => {
      const world = mixed(turn);
      await runRound(world.context, 1);
      expect(world.log.filter((line) => line.startsWith('copy'))).toHaveLength(4);
      const without = world.records.find((record) => record.type === 'arm' && record.arm === 'pool=25');
      expect(world.log).not.toContain(`copy ${without?.type === 'arm' && without.database}`);
      const slices = slicesOf(world);
      expect(slices).toHaveLength(15);
      expect(slices.flatMap(({ voided }) => voided)).toEqual([]);
      const counted = world.records.flatMap((record) => (record.type === 'counters' ? [record.arm] : []));
      expect(new Set(counted)).toEqual(new Set(['pool=10', 'pool=10 (A/A)', 'pool=35', 'pool=50']));
      expect(counted).toHaveLength(12);
      const idle = world.records.filter((record) => record.type === 'idle');
      expect(idle.filter(({ delta }) => delta === null).map(({ arm }) => arm)).toEqual(['pool=25']);
      expect(world.running.size).toBe(0);
    },
  );
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
    await expect(runRound(world.context, 1)).rejects.toMatchObject({
      message: expect.stringMatching(
        /the service of "pool=25" ended under load \(exit code 9\)\. Its last lines:\nlast words/,
      ),
      // If it is the first round, none is kept: the command says how many are.
      hint: undefined,
    });
    expect(world.running.size).toBe(0);
    expect(world.databases.size).toBe(0);
  });

  it('by what stands between a service and its database: named, with what it says', async () => {
    const world = fakeWorld(testScenario());
    let end = (_how: string): void => {};
    const exited = new Promise<string>((resolve) => {
      end = resolve;
    });
    const openLink: typeof world.context.stack.openLink = async ({ variant, databaseUrl }) => ({
      url: databaseUrl,
      pids: [],
      ...(variant.name === 'pool=25' && { exited }),
      verify: async () => ({}),
      close: async () => {},
    });
    world.onLoad = (_, arm) => {
      if (arm === 'pool=35') end('PgBouncer (SIGKILL). Its log ends with:\nlast words');
    };
    await expect(runRound({ ...world.context, stack: { ...world.context.stack, openLink } }, 1)).rejects.toMatchObject({
      code: 'stack',
      message: expect.stringMatching(/^between the service of "pool=25.*: PgBouncer \(SIGKILL\)\.[\s\S]*last words$/),
    });
    expect(world.running.size).toBe(0);
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
