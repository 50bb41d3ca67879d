import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { finishSession } from '../../../../src/cli/report/gates.ts';
import type { LevelsRecord } from '../../../../src/journal/capacity/capacity-records.ts';
import type { JournalSoFar } from '../../../../src/journal/journal.ts';
import { loadSize } from '../../../../src/journal/load-level.ts';
import type { ResolvedScenario } from '../../../../src/journal/scenario-record.ts';
import { aggregateRun } from '../../../../src/judge/read/aggregate-run.ts';
import type { CapacityPoint } from '../../../../src/judge/read/rounds/capacity-points.ts';
import { type JudgedCapacity, judgeCapacities } from '../../../../src/judge/verdicts/capacity/judge-capacities.ts';
import { judgeSession } from '../../../../src/judge/verdicts/session.ts';
import { decideStop } from '../../../../src/judge/verdicts/stop-rule.ts';
import { openLevels } from '../../../../src/measure/run/levels/level-source.ts';
import { runSweep, type SweepContext } from '../../../../src/measure/run/run-sweep.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { fixtureJournal } from '../../../judge/journal-fixture.ts';
import { small } from '../../../judge/small-run.ts';
import { normal } from '../../../support/queues.ts';
import { type FakeWorld, fakeWorld, RATE } from '../fake-world.ts';

/** In the fake world an answer takes connections / rate, so that p95 is 50 ms with 125 connections. */
const scenario = (range = '10..1000', of = 'connections'): ResolvedScenario =>
  parseScenario(
    `title: Capacity
target: { service: documents }
variants: { a: {}, b: {} }
control: a
load: { capacity: { ${of}: ${range}, until: { p95_ms: 50 } }, slice: 3s, workload: get-schools }
rounds: { budget: 60m }
`,
    'capacity.yaml',
  );

function worldOf(asked: ResolvedScenario): FakeWorld {
  const world = fakeWorld(asked);
  const random = createRandom(1);
  world.speed = (arm) => (arm === 'b' ? 1.2 : 1) * Math.exp(0.03 * normal(random));
  return world;
}

function journalOf({ context, records }: FakeWorld): JournalSoFar {
  return { run: { ...fixtureJournal(small).run, scenario: context.scenario }, records };
}

function sweep(world: FakeWorld, changes: Partial<SweepContext> = {}) {
  return runSweep({
    ...world.context,
    firstRound: 1,
    decideStop: () => decideStop(journalOf(world)),
    startedAtMs: 0,
    quick: false,
    ...changes,
  });
}

const levelsOf = (world: FakeWorld): LevelsRecord[] => world.records.filter((record) => record.type === 'levels');
const judged = (world: FakeWorld) => judgeCapacities(aggregateRun(journalOf(world), { latencies: 'left alone' }));

describe('a run that looks for capacities', () => {
  const world = worldOf(scenario());

  it('ends when it knows what each variant sustains, and how they differ', async () => {
    expect(await sweep(world)).toBe('verdicts');
    const [control, again, variant] = judged(world)?.arms ?? [];
    for (const arm of [control, again]) {
      expect(arm).toMatchObject({ outcome: 'supports', limitedBy: 'p95_ms' });
      expect((arm?.supports ?? 0) / (0.05 * RATE)).toBeCloseTo(1, 1);
    }
    expect((variant?.supports ?? 0) / (0.06 * RATE)).toBeCloseTo(1, 1);
    expect(judged(world)?.changes[0]).toMatchObject({ variant: 'b', verdict: 'higher' });
  });

  it('goes up through the range once, and no further than it must', () => {
    const [first, ...others] = levelsOf(world);
    const swept = world.records.flatMap((record) =>
      record.type === 'pass' && record.round === 1 && record.pass < (first?.fromPass ?? 0)
        ? [loadSize(record.load)]
        : [],
    );
    expect(swept[0]).toBe(10);
    expect(swept).toEqual([...swept].sort((a, b) => a - b));
    expect(swept.at(-1)).toBeLessThan(1000);
    expect(others.every(({ fromPass }) => fromPass === 0)).toBe(true);
  });

  it('warms all arms alike before each round, with no more load than its levels have', () => {
    const chosen = levelsOf(world);
    for (const { round } of chosen) {
      const own = world.records.flatMap((record) =>
        record.type === 'warmup' && record.round === round ? [record] : [],
      );
      expect(own.map(({ arm }) => arm).sort()).toEqual(['a', 'a (A/A)', 'b']);
      const known = chosen.find((before) => before.round === round - 1)?.levels.map(loadSize) ?? [100];
      for (const { load, outcomes, wanted = 0 } of own) {
        expect(loadSize(load)).toBe(Math.min(...known));
        expect(wanted).toBeGreaterThan(0);
        expect(Math.abs((outcomes['200'] ?? 0) / wanted - 1)).toBeLessThan(0.03);
      }
    }
  });

  it('has levels that all arms share, around the limits of all', () => {
    for (const { round, levels, fromPass } of levelsOf(world)) {
      const sizes = levels.map(loadSize);
      expect(sizes.some((size) => size < 125)).toBe(true);
      expect(sizes.some((size) => size > 150)).toBe(true);
      const slices = world.records.flatMap((record) =>
        record.type === 'slice' && record.round === round && (record.pass ?? 0) >= fromPass
          ? [`${record.arm} ${loadSize(record.load)}`]
          : [],
      );
      expect(slices.sort()).toEqual(
        ['a', 'a (A/A)', 'b'].flatMap((arm) => sizes.map((size) => `${arm} ${size}`)).sort(),
      );
    }
  });

  it('has no answer where nobody knows how much the control bears: the session is unfit, and its exit code is 3', () => {
    const data = aggregateRun(journalOf(world), { latencies: 'left alone' });
    const known = judgeCapacities(data);
    if (known === null) throw new Error('no question');
    const outcomesOf = (outcome: (arm: JudgedCapacity) => JudgedCapacity['outcome']) =>
      judgeSession(data, [], [], { ...known, arms: known.arms.map((arm) => ({ ...arm, outcome: outcome(arm) })) });
    expect(outcomesOf(({ outcome }) => outcome).reasons).toEqual([]);
    expect(outcomesOf(({ repeat, outcome }) => (repeat ? 'generator' : outcome))).toMatchObject({
      verdict: 'unfit',
      reasons: [{ kind: 'no-capacity', variants: ['a'], outcomes: ['generator'] }],
    });
    expect(outcomesOf(({ variant, outcome }) => (variant === 'b' ? 'unstable' : outcome)).reasons).toEqual([
      { kind: 'no-capacity', variants: ['b'], outcomes: ['unstable'] },
    ]);
    // More than the range is an answer.
    expect(outcomesOf(() => 'not-reached').reasons).toEqual([]);
    const unfit = outcomesOf(() => 'generator');
    expect(finishSession({ gates: [], session: unfit }, { err: () => undefined })).toBe(3);
  });

  it('compares with both arms of the control, and never with its second alone', () => {
    const { capacity, ...data } = aggregateRun(journalOf(world), { latencies: 'left alone' });
    // One arm keeps the limit as far as it was seen.
    const ofOne = capacity.map((arm) => {
      const points = arm.points.map((point) => ({ ...point, values: new Map([['p95_ms', 20]]) }));
      return arm.variant === 'a' && !arm.repeat
        ? { ...arm, points: [...points, { ...points[0], load: 1000 } as CapacityPoint] }
        : arm;
    });
    const judgedAgain = judgeCapacities({ ...data, capacity: ofOne });
    expect(judgedAgain?.arms.map(({ outcome }) => outcome)).toEqual(['not-reached', 'supports', 'supports']);
    expect(judgedAgain?.changes[0]).toMatchObject({ variant: 'b', deltaPercent: null, interval: null });
  });

  it('goes on where it was when it is resumed', async () => {
    const last = levelsOf(world).at(-1);
    const resumed = worldOf(scenario());
    const levels = openLevels(scenario().load, { records: world.records });
    const load = { ...resumed.context.load, levels };
    await sweep(resumed, { load, firstRound: 9, decideStop: () => ({ stop: true, undecided: 0 }) });
    expect(levelsOf(resumed)[0]).toMatchObject({ round: 9, fromPass: 0, levels: last?.levels });
  });

  it.each([1, 1.05, 4])('takes about as long as it says, where one variant bears %d times as much', async (times) => {
    const asked = parseScenario(
      `title: Capacity
target: { command: node server.mjs, database: none }
variants: { a: {}, b: {} }
control: a
load: { capacity: { connections: 10..1000, until: { p95_ms: 50 } }, slice: 3s, requests: [{ path: / }] }
rounds: { min: 4, max: 4, budget: 60m }
`,
      'capacity.yaml',
    );
    const timed = worldOf({ ...asked, probesOff: 'all' });
    timed.speed = (arm) => (arm === 'b' ? times : 1);
    await sweep(timed);
    const rounds = timed.records.filter((record) => record.type === 'round');
    const started = timed.events.flatMap((event) => (event.kind === 'round-started' ? [event] : []));
    const [least = 0, most = 0] = started[0]?.bounds?.firstRoundMs ?? [];
    expect(rounds[0]?.durationMs).toBeGreaterThan(least);
    expect(rounds[0]?.durationMs).toBeLessThan(most);
    const [found] = timed.events.flatMap((event) => (event.kind === 'levels-chosen' ? [event] : []));
    const [{ durationMs = 0, onceMs = 0, phases } = { phases: null }] = rounds;
    const restMs = durationMs - onceMs - (phases?.bootMs ?? 0) - (phases?.warmupMs ?? 0);
    expect((found?.leftMs ?? 0) / restMs).toBeGreaterThan(0.8);
    expect((found?.leftMs ?? 0) / restMs).toBeLessThan(1.25);
    const [shortest, longest] = found?.nextMs ?? [0, 0];
    for (const { durationMs: tookMs } of rounds.slice(1)) {
      expect(tookMs).toBeGreaterThan(0.7 * shortest);
      expect(tookMs).toBeLessThan(1.1 * longest);
    }
    // Limits 5 % apart share the levels of the first round. Once they are known better, each has its own.
    expect(longest > 1.4 * shortest).toBe(times === 1.05);
    expect(started[0]?.budgetLeftMs).toBe(3_600_000);
    for (const { round, leftMs } of started.slice(1)) {
      expect(started[round - 1]?.bounds).toBeUndefined();
      const took = rounds[round - 1]?.durationMs ?? 0;
      const announced = (leftMs ?? 0) / (4 - round + 1);
      expect(announced / took).toBeGreaterThan(0.8);
      expect(announced / took).toBeLessThan(1.2);
    }
  });

  it('waits for the database counters of its own levels by rate, and for none on the way up', async () => {
    const counting = worldOf(scenario('10..1000', 'rate'));
    await sweep(counting, { decideStop: (round) => ({ stop: round >= 4, undecided: 0 }) });
    const counted = counting.records.flatMap((record) => (record.type === 'counters' ? [record] : []));
    for (const { round, fromPass } of levelsOf(counting)) {
      const own = counted.filter((record) => record.round === round);
      expect(own.length).toBeGreaterThan(0);
      for (const { slice } of own) expect(slice).toBeGreaterThanOrEqual(3 * fromPass);
    }
  });

  it('climbs past levels whose requests were sent a little late, of the limit in question', async () => {
    const late = worldOf(scenario('10..1000', 'rate'));
    // More than a tenth of the latency of every level below the limit, and less than a tenth of the limit.
    late.sendLagUs = 4900;
    expect(await sweep(late)).toBe('verdicts');
    for (const { levels } of levelsOf(late)) expect(levels.map(loadSize).some((size) => size > 125)).toBe(true);
    expect(judged(late)?.arms.map(({ outcome }) => outcome)).toEqual(['supports', 'supports', 'supports']);
  });

  it.each([
    ['the machine', 0.5],
    ['the load generator', 0.9],
  ])('names %s where requests were sent late, by whether the generator had no time', async (_, utilisation) => {
    const late = worldOf(scenario('10..1000', 'rate'));
    late.sendLagUs = 50_000;
    late.eventLoopUtilisation = utilisation;
    await sweep(late, { decideStop: (round) => ({ stop: round >= 4, undecided: 0 }) });
    expect(judged(late)?.arms.map(({ outcome }) => outcome)).toEqual(['generator', 'generator', 'generator']);
    const { capacity } = aggregateRun(journalOf(late), { latencies: 'left alone' });
    const busy = capacity.flatMap(({ points }) => points.filter(({ generatorBusy }) => generatorBusy));
    expect(busy.length).toBeGreaterThan(0);
    expect(busy.map(({ machineBusy }) => machineBusy)).toEqual(busy.map(() => utilisation < 0.85));
  });

  it('has longer turns at all levels where those of a round hid waits, and shorter ones again', async () => {
    const hiding = worldOf(scenario());
    const turnMs = (round: number): number[] =>
      hiding.records.flatMap((record) =>
        record.type === 'pass' && record.round === round && record.wholeSlices !== 'turned off' ? [record.turnMs] : [],
      );
    const found = { longestMs: 400, turnMs: 300, hiddenMs: 8 };
    await sweep(hiding, {
      decideStop: (round) => ({
        stop: round === 3,
        undecided: 1,
        spreads: { levels: [], warmups: [], ...(round === 1 && { found }) },
      }),
    });
    expect(Math.max(...turnMs(1))).toBeLessThan(800);
    expect(Math.min(...turnMs(2))).toBeGreaterThanOrEqual(800);
    expect(Math.max(...turnMs(3))).toBeLessThan(800);
  });

  it('says that a limit is not reached in the range, with what was seen at its end', async () => {
    const low = worldOf(scenario('10..50'));
    expect(await sweep(low)).toBe('verdicts');
    expect(judged(low)?.arms.map(({ outcome }) => outcome)).toEqual(['not-reached', 'not-reached', 'not-reached']);
    expect(levelsOf(low).at(-1)?.levels).toEqual([{ connections: 50 }]);
  });
});
