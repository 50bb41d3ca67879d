import { describe, expect, it } from 'vitest';
import type { LengthsRecord, Spreads } from '../../../src/journal/length-records.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { PassRecord } from '../../../src/journal/pass-records.ts';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import { visitRounds } from '../../../src/judge/read/rounds/complete-rounds.ts';
import { gatherSpreads } from '../../../src/judge/read/rounds/spreads.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { decideStop, type StopOptions } from '../../../src/judge/verdicts/stop-rule.ts';
import { createPlaces } from '../../../src/measure/plan/places.ts';
import { placesBefore } from '../../../src/measure/run/last-records.ts';
import { createTurnSchedule } from '../../../src/measure/run/round/turn-schedule.ts';
import { runSweep, type SweepContext } from '../../../src/measure/run/run-sweep.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { type FixtureCell, type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';
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

  it.each([
    // 14 % slower: settled after four rounds, and after these surely within 40 %, but not within 15 %.
    ['rps > -40%', 'verdicts', 4],
    ['rps > -15%', 'budget', 8],
  ])('with the gate %s goes on until it is decided, within its budget', async (gate, reason, most) => {
    const world = fakeWorld(testScenario({ rounds: { min: 4, max: 40, budgetMs: 600_000 } }));
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === 'b' ? -0.15 : 0);
    const decide = (round: number) =>
      decideStop(fixtureJournal({ ...small, effect, rounds: round, end: null }), { gates: [parseGate(gate)] });
    expect(await sweep(world, { decideStop: decide })).toBe(reason);
    expect(rounds(world)).toHaveLength(most);
  });

  it('starts no round that the budget does not allow', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 4, max: 40, budgetMs: 600_000 } }));
    expect(await sweep(world)).toBe('budget');
    expect(world.clock.nowMs()).toBeLessThanOrEqual(600_000);
    expect(rounds(world)).toHaveLength(8);
  });

  it('continues beyond its budget while that should settle what is open, and no longer', async () => {
    const settling = async (roundsNeeded: number | null, settledAfter = Number.POSITIVE_INFINITY) => {
      const world = fakeWorld(
        testScenario({ rounds: { min: 4, max: 40, budgetMs: 600_000, settleWithinMs: 900_000 } }),
      );
      const choice = { load: { connections: 25 }, setting: '10', rival: null, roundsNeeded };
      const reason = await sweep(world, {
        decideStop: (round) =>
          round < settledAfter ? { stop: false, undecided: 1, choices: [choice] } : { stop: true, undecided: 0 },
      });
      const beyond = world.events.filter(({ kind }) => kind === 'beyond-budget').length;
      return { reason, rounds: rounds(world).length, beyond, isInTime: world.clock.nowMs() <= 900_000 };
    };
    expect(await settling(10, 10)).toEqual({ reason: 'verdicts', rounds: 10, beyond: 1, isInTime: true });
    // The budget is its end where no rounds would settle it, and where more would than there is time for.
    expect(await settling(null)).toEqual({ reason: 'stuck', rounds: 8, beyond: 0, isInTime: true });
    expect(await settling(40)).toEqual({ reason: 'unsettled', rounds: 8, beyond: 0, isInTime: true });
    expect(await settling(10)).toMatchObject({ reason: 'budget', beyond: 1, isInTime: true });
    expect(await settling(6, 6)).toEqual({ reason: 'verdicts', rounds: 6, beyond: 0, isInTime: true });
  });

  describe('with time to settle what is open', () => {
    const effectOf = (log: number) => ({ effect: ({ variant }: FixtureCell) => (variant === 'b' ? log : 0) });
    const settling = async (fixture: FixtureOptions, options: StopOptions) => {
      const rules = { min: 4, max: 40, budgetMs: 600_000, settleWithinMs: 900_000 };
      const world = fakeWorld(testScenario({ rounds: rules }));
      const decide = (round: number) =>
        decideStop(fixtureJournal({ ...small, ...fixture, rounds: round, end: null }), options);
      const reason = await sweep(world, { decideStop: decide });
      return { reason, rounds: rounds(world).length };
    };

    it('takes it for a gate that one more round should decide', async () => {
      // The comparison itself needs some 20 rounds: the added time is too short for it.
      const gates = [parseGate('rps > -10%')];
      expect(await settling({ noise: 0.06, seed: 2 }, { gates })).toEqual({ reason: 'unsettled', rounds: 9 });
    });

    it('takes none for a gate alone that no round would decide', async () => {
      // The limit is the change.
      const gates = [parseGate('rps > -18.5%')];
      expect(await settling(effectOf(-0.2), { gates })).toEqual({ reason: 'stuck', rounds: 8 });
    });

    it('takes it for the size of a change that has its verdict, where some rounds would make it quotable', async () => {
      const bySize = (noise: number) => settling({ ...effectOf(-0.58), noise, seed: 3 }, { size: true });
      expect(await bySize(0.1)).toMatchObject({ reason: 'verdicts' });
      expect(await bySize(0.15)).toEqual({ reason: 'unsettled', rounds: 8 });
      expect(await bySize(0.2)).toEqual({ reason: 'stuck', rounds: 8 });
    });
  });

  it('shows its last round as the report will judge it: an end by time or rounds spends more of the error', async () => {
    const shown = async (max: number, budgetMs: number, stopsAfter = 99) => {
      const world = fakeWorld(testScenario({ rounds: { min: 4, max, budgetMs } }));
      const asked: number[] = [];
      await sweep(world, {
        decideStop(round, isEnd = false) {
          if (isEnd) asked.push(round);
          return { stop: round >= stopsAfter, undecided: isEnd ? 1 : 9 };
        },
      });
      const told = world.events.flatMap((event) => (event.kind === 'round-ended' ? [event.undecided] : []));
      return { asked, told };
    };
    expect(await shown(5, 1e9)).toEqual({ asked: [5], told: [9, 9, 9, 9, 1] });
    const { asked, told } = await shown(40, 600_000);
    expect(asked).toEqual([told.length]);
    expect(told.slice(-2)).toEqual([9, 1]);
    expect(await shown(40, 600_000, 5)).toEqual({ asked: [], told: [9, 9, 9, 9, 9] });
  });

  it('says after the first round that the budget ends before there is an answer, and by how much', async () => {
    const { question: _, ...aboutChanges } = testScenario();
    const told = async (budgetMs: number, max = 40, asked: ResolvedScenario = aboutChanges) => {
      const world = fakeWorld({ ...asked, rounds: { min: Math.min(4, max), max, budgetMs } });
      await sweep(world);
      const warnings = world.events.flatMap((event) => (event.kind === 'warning' ? [event.warning] : []));
      const few = warnings.filter(({ kind }) => kind === 'few-rounds');
      return { few, rounds: rounds(world), tookMs: world.clock.nowMs() };
    };
    const four = await told(1e9, 4);
    expect(four).toMatchObject({ few: [], rounds: [1, 2, 3, 4] });
    const budgetMs = Math.floor(0.9 * four.tookMs);
    const { few, rounds: done } = await told(budgetMs);
    expect(done).toEqual([1, 2, 3]);
    expect(few).toMatchObject([{ rounds: 3, needed: 4 }]);
    expect(few).toMatchObject([{ missingMs: expect.closeTo(four.tookMs - budgetMs, -4) }]);
    expect((await told(budgetMs, 3)).few).toEqual([]);
    const best: ResolvedScenario = { ...aboutChanges, question: 'best' };
    expect((await told(Math.floor(1.1 * four.tookMs), 40, best)).few).toMatchObject([
      { rounds: 4, needed: 5, decides: true },
    ]);
    const searched: ResolvedScenario = { ...best, tune: { factors: [{ name: 'pool', env: 'POOL', values: [1, 2] }] } };
    expect((await told(budgetMs, 40, searched)).few).toMatchObject([{ rounds: 3, needed: 7, searches: true }]);
  });

  it('until it can have an answer a run has its added time, and warns by that', async () => {
    const { question: _, ...aboutChanges } = testScenario();
    const warned = async (own: Partial<ResolvedScenario['rounds']>) => {
      const world = fakeWorld({ ...aboutChanges, rounds: { min: 4, max: 40, budgetMs: 250_000, ...own } });
      await sweep(world);
      const last = world.events.flatMap((event) => (event.kind === 'round-started' ? [event.rounds] : []))[1];
      const few = world.events.flatMap((event) =>
        event.kind === 'warning' && event.warning.kind === 'few-rounds' ? [event.warning] : [],
      );
      return { few: few.length, last, rounds: rounds(world).length };
    };
    expect(await warned({})).toEqual({ few: 1, last: 3, rounds: 3 });
    expect(await warned({ settleWithinMs: 330_000 })).toMatchObject({ few: 0, last: 4, rounds: 4 });
    expect(await warned({ settleWithinMs: 260_000 })).toMatchObject({ few: 1, last: 3, rounds: 3 });
  });

  it('runs one round however small the budget', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 4, max: 40, budgetMs: 1 } }));
    expect(await sweep(world)).toBe('budget');
    expect(rounds(world)).toEqual([1]);
  });

  it('of a shard has every n-th round, each in the order that it has in the whole', async () => {
    const scenario = testScenario({ rounds: { min: 8, max: 8, budgetMs: Number.MAX_SAFE_INTEGER } });
    const world = fakeWorld(scenario);
    const nobodyLooks = () => ({ stop: false, undecided: null });
    expect(await sweep(world, { firstRound: 2, roundStep: 3, decideStop: nobodyLooks })).toBe('rounds');
    expect(rounds(world)).toEqual([2, 5, 8]);
    expect(world.records.filter(({ type }) => type === 'lengths')).toEqual([]);
    const [first] = world.events.filter(({ kind }) => kind === 'round-started');
    const [next] = world.events.filter(({ kind }) => kind === 'round-started').slice(-1);
    expect([first, next]).toMatchObject([
      { round: 2, rounds: 8 },
      { round: 8, rounds: 8 },
    ]);
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
    const before = whole.records.filter((record) => record.type !== 'round' || record.round < 3);
    await sweep(resumed, { firstRound: 3, places: createPlaces(1, placesBefore({ records: before })) });
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
    expect(started.map(({ round }) => round)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(started.at(-1)).toMatchObject({ rounds: 8, passes: 3 });
    const [first] = world.records.filter((record) => record.type === 'round');
    const { round = 0, rounds: last = 0, leftMs } = started.at(1) ?? {};
    // Without what is done only once.
    expect(first?.onceMs).toBeGreaterThan(0);
    expect(leftMs).toBeCloseTo((last - round + 1) * ((first?.durationMs ?? 0) - (first?.onceMs ?? 0)));
  });

  it('measures 1,000 slices without a process in no time', async () => {
    const world = fakeWorld(testScenario({ rounds: { min: 67, max: 67, budgetMs: 1e12 } }));
    await sweep(world);
    expect(world.records.filter(({ type }) => type === 'slice')).toHaveLength(1005);
  });
});

describe('lengths', () => {
  /** Turns of 25 connections scatter three times as much as those of 1 and of 50. */
  const spreads: Spreads = {
    levels: [1, 25, 50].map((connections) => ({
      load: { connections },
      withinPerS: connections === 25 ? 0.009 : 0.001,
      between: null,
      countedPerS: 2000,
      waits: null,
    })),
    warmups: [{ requests: 3000, growth: 0.15, perS: 2500 }],
  };
  const decideStop = () => ({ stop: false, undecided: 9, spreads });
  const scenario = (load: object) => {
    const plain = testScenario({ rounds: { min: 4, max: 40, budgetMs: 600_000 } });
    return { ...plain, load: { ...plain.load, ...load } };
  };
  const lengths = (world: FakeWorld): LengthsRecord[] => world.records.filter((record) => record.type === 'lengths');
  const slicesMs = (world: FakeWorld, round: number): Record<number, number> =>
    Object.fromEntries(
      world.records.flatMap((record) =>
        record.type === 'pass' && record.round === round
          ? [[loadSize(record.load), Math.round(record.turnMs * record.turnsPerArm)]]
          : [],
      ),
    );
  const warmedBy = (world: FakeWorld, round: number): number[] =>
    world.records.flatMap((record) =>
      record.type === 'warmup' && record.round === round ? [record.outcomes['200'] ?? 0] : [],
    );

  it('follow the noise from the second round on, are written down, and fill the budget', async () => {
    const world = fakeWorld(scenario({ autoSlice: true }));
    expect(await sweep(world, { decideStop })).toBe('budget');
    expect(slicesMs(world, 1)).toEqual({ 1: 4000, 25: 4000, 50: 4000 });
    const [first] = lengths(world);
    const written = Object.fromEntries((first?.levels ?? []).map(({ load, sliceMs }) => [loadSize(load), sliceMs]));
    expect(slicesMs(world, 2)).toEqual(written);
    expect((written[25] ?? 0) / (written[1] ?? 0)).toBeGreaterThan(2);
    expect(world.records.findIndex(({ type }) => type === 'lengths')).toBeGreaterThan(
      world.records.findIndex(({ type }) => type === 'round'),
    );
    const made = rounds(world);
    expect(made.length).toBeGreaterThanOrEqual(6);
    expect(world.clock.nowMs()).toBeLessThanOrEqual(600_000);
    expect(world.clock.nowMs()).toBeGreaterThan(540_000);
    expect(world.events.filter(({ kind }) => kind === 'lengths')).toHaveLength(lengths(world).length);
  });

  it('are those of warm-ups alone where slices are numbers of requests', async () => {
    const world = fakeWorld(scenario({ bounded: { count: 200, limitMs: 600_000 }, warmupRequests: 3000 }));
    await sweep(world, { decideStop });
    const [first] = lengths(world);
    expect(first?.warmups).toHaveLength(1);
    expect(first?.levels).toEqual([]);
  });

  describe('where turns of one level hide waits', () => {
    const LONGEST_MS = 900;
    const made = (world: FakeWorld): PassRecord[] =>
      world.records.flatMap((record) => (record.type === 'pass' && loadSize(record.load) === 25 ? [record] : []));
    /** A fifth of a wait is hidden by the ends of a turn. */
    const hiding = (world: FakeWorld) => () => {
      const turnMs = made(world).at(-1)?.turnMs ?? 0;
      const waits = { longestMs: LONGEST_MS, turnMs, hiddenMs: 0.2 * LONGEST_MS };
      const levels = spreads.levels.map((level) => (loadSize(level.load) === 25 ? { ...level, waits } : level));
      return { ...decideStop(), spreads: { ...spreads, levels } };
    };
    const auto = scenario({ autoSlice: true });

    it('grow from round to round, for all arms, up to whole slices of twenty of the longest waits', async () => {
      const world = fakeWorld({ ...auto, rounds: { ...auto.rounds, budgetMs: 6_000_000 } });
      await sweep(world, { decideStop: hiding(world) });
      const [first, second, ...later] = made(world);
      expect(second?.turnMs).toBeGreaterThanOrEqual(8 * (first?.turnMs ?? 0));
      const whole = later.filter(({ wholeSlices }) => wholeSlices === 'waits');
      expect(whole.length).toBeGreaterThan(0);
      for (const { turnMs, arms } of whole) {
        expect(arms).toHaveLength(5);
        expect(turnMs).toBeGreaterThanOrEqual(20 * LONGEST_MS);
      }
      const written = lengths(world).flatMap(({ levels }) => levels.filter(({ load }) => loadSize(load) === 25));
      expect(written[0]).toMatchObject({ leastTurnMs: 8 * (first?.turnMs ?? 0), longestMs: LONGEST_MS });
      for (const level of lengths(world).flatMap(({ levels }) => levels))
        if (loadSize(level.load) !== 25) expect(level.leastTurnMs).toBeUndefined();
    });

    it('and leave five rounds in the budget', async () => {
      const world = fakeWorld(auto);
      expect(await sweep(world, { decideStop: hiding(world) })).toBe('budget');
      expect(rounds(world).length).toBeGreaterThanOrEqual(5);
      expect(made(world).at(-1)).toMatchObject({ turnsPerArm: 1, wholeSlices: 'waits' });
    });

    it('and are as before where the rounds that follow say that nothing is hidden', async () => {
      for (const load of [auto.load, scenario({}).load]) {
        const world = fakeWorld({ ...auto, load });
        const hide = hiding(world);
        await sweep(world, { decideStop: () => (made(world).length === 1 ? hide() : { ...decideStop(), spreads }) });
        const [first, second, third] = made(world);
        expect(second?.turnMs).toBeGreaterThan(3 * (first?.turnMs ?? 0));
        expect(third?.turnMs).toBeLessThan(1.5 * (first?.turnMs ?? 0));
        expect(
          lengths(world)
            .at(-1)
            ?.levels.map(({ leastTurnMs }) => leastTurnMs),
        ).toEqual([undefined, undefined, undefined]);
      }
    });

    it('stay where the scenario names a length', async () => {
      const world = fakeWorld({ ...auto, load: { ...auto.load, turn: 200 } });
      await sweep(world, { decideStop: hiding(world) });
      for (const { turnMs, wholeSlices } of made(world)) expect([turnMs < 250, wholeSlices]).toEqual([true, undefined]);
    });
  });

  it('of the warm-up are chosen once, alike for all arms', async () => {
    const world = fakeWorld(scenario({ autoSlice: true }));
    let growth = 0.15;
    const decide = () => {
      const warmups = [{ requests: 3000, growth, perS: 2500 }];
      growth = 0;
      return { ...decideStop(), spreads: { ...spreads, warmups } };
    };
    await sweep(world, { decideStop: decide });
    expect(warmedBy(world, 1)).toEqual(Array(5).fill(3000));
    expect(warmedBy(world, 2)).toEqual(Array(5).fill(4500));
    expect(warmedBy(world, 6)).toEqual(Array(5).fill(4500));
    expect(new Set(lengths(world).map(({ warmups }) => warmups[0]?.requests))).toEqual(new Set([4500]));
  });

  it('of the warm-up grow while rates do, each time by what the rounds before saw, and then stay', async () => {
    const usual = scenario({ levels: [{ connections: 25 }] });
    const world = fakeWorld({ ...usual, rounds: { min: 24, max: 24, budgetMs: 1e9 } });
    // Fast once an arm has served 20,000 requests.
    world.speed = (_, served) => 0.3 + 0.7 * Math.min(1, served / 20_000);
    const { scenario: asked } = world.context;
    const { run } = fixtureJournal({ ...small, rounds: 0 });
    await sweep(world, {
      watch: { ...world.context.watch, counters: null, countersReader: null },
      decideStop: () => {
        const seen = gatherSpreads(asked.load);
        visitRounds({ run: { ...run, scenario: asked }, records: world.records }, seen.add);
        // Turns without any noise would be certain of waits that nothing has.
        return { stop: false, undecided: 9, spreads: { ...seen.spreads(), levels: [] } };
      },
    });
    const warmups = rounds(world).map((round) => warmedBy(world, round)[0] ?? 0);
    expect(new Set(warmups).size).toBeGreaterThanOrEqual(3);
    // After the first round it may be shorter: then it is chosen by what slices take.
    const later = warmups.slice(1);
    expect([...later].sort((a, b) => a - b)).toEqual(later);
    expect(warmups.at(-1)).toBeGreaterThan(15_000);
    expect(warmups.at(-1)).toBe(warmups.at(-4));
    for (const round of rounds(world)) expect(new Set(warmedBy(world, round)).size).toBe(1);
  });

  it('that the scenario names stay', async () => {
    const { warmupRequests: _, ...load } = scenario({}).load;
    const world = fakeWorld({ ...scenario({}), load });
    await sweep(world, { decideStop });
    expect(slicesMs(world, 2)).toEqual({ 1: 4000, 25: 4000, 50: 4000 });
    expect(lengths(world)).toEqual([]);
    // With slices alone, the warm-up is chosen.
    const warming = fakeWorld(scenario({}));
    await sweep(warming, { decideStop });
    expect(slicesMs(warming, 2)).toEqual({ 1: 4000, 25: 4000, 50: 4000 });
    expect(warmedBy(warming, 2)).toEqual(Array(5).fill(4500));
    expect(lengths(warming)).toHaveLength(1);
  });

  it('of a run that is resumed are those that it had', async () => {
    const auto = scenario({ autoSlice: true });
    const whole = fakeWorld(auto);
    await sweep(whole, { decideStop });
    const last = lengths(whole).find(({ round }) => round === 2) ?? null;
    const resumed = fakeWorld(auto);
    const schedule = createTurnSchedule(auto, resumed.context.arms.length, last);
    const load = { ...resumed.context.load, schedule };
    await sweep(resumed, { load, firstRound: 3, decideStop });
    expect(slicesMs(resumed, 3)).toEqual(slicesMs(whole, 3));
    expect(warmedBy(resumed, 4)).toEqual(Array(5).fill(4500));
  });
});
