import { describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import { lineUpAfter, plannedLineUp } from '../../../src/journal/line-up.ts';
import type { Proposal } from '../../../src/journal/proposal-records.ts';
import type { JournalRecord, RoundRecord, StopReason } from '../../../src/journal/records.ts';
import type { ResolvedScenario, Variant } from '../../../src/journal/scenario-record.ts';
import { visitRounds } from '../../../src/judge/read/rounds/complete-rounds.ts';
import { plannedArms } from '../../../src/measure/plan/arms.ts';
import { lastLineUp } from '../../../src/measure/run/last-records.ts';
import { runSweep, type StopDecision, type SweepContext } from '../../../src/measure/run/run-sweep.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';
import { type FakeWorld, fakeWorld } from './fake-world.ts';

const pool = (size: number): Variant => ({
  name: `pool=${size}`,
  factors: { pool: size },
  env: { POOL_MAX: `${size}` },
});

/** A run with the control alone, and slots. */
function slotted(slots = 3, changes: Partial<ResolvedScenario> = {}): ResolvedScenario {
  const load = { ...testScenario().load, levels: [{ connections: 25 }] };
  return testScenario({ load, variants: [pool(10)], slots, rounds: { min: 1, max: 4, budgetMs: 1e9 }, ...changes });
}

const search = (...sizes: number[]): StopDecision => ({
  stop: false,
  undecided: 1,
  proposed: { stage: 'search', variants: sizes.map(pool) },
});

/** What is tried in the rounds 1, 2, 3 and 4. */
const tries = [
  [1, 30, 90],
  [6, 12, 20],
  [8, 12],
  [9, 11, 14],
];
const byTries = (round: number): StopDecision => search(...(tries[round] ?? []));

function sweep(world: FakeWorld, changes: Partial<SweepContext> = {}): Promise<StopReason> {
  return runSweep({
    ...world.context,
    firstRound: 1,
    decideStop: byTries,
    startedAtMs: 0,
    quick: false,
    ...changes,
  });
}

/** The sizes of the pools that the complete rounds measured, the control's among them twice. */
const measured = ({ records }: { readonly records: readonly JournalRecord[] }): number[][] => {
  const sizes: number[][] = [];
  const { run } = fixtureJournal({ ...small, rounds: 0 });
  visitRounds({ run: { ...run, scenario: slotted() }, records }, ({ slices }) => {
    sizes.push(slices.map(({ slice }) => Number(slice.variant.slice('pool='.length))).sort((a, b) => a - b));
  });
  return sizes;
};

const proposals = ({ records }: FakeWorld): (Proposal & { readonly round: number })[] =>
  records.filter((record) => record.type === 'proposed');

const rounds = ({ records }: FakeWorld): number[] =>
  records.flatMap((record) => (record.type === 'round' ? [record.round] : []));

describe('variants that are proposed', () => {
  it('hold the slots of the next round, beside two arms of the control', async () => {
    const world = fakeWorld(slotted());
    await sweep(world);
    expect(measured(world)).toEqual([
      [1, 10, 10, 30, 90],
      [6, 10, 10, 12, 20],
      [8, 10, 10, 12],
      [9, 10, 10, 11, 14],
    ]);
    expect([world.running.size, world.databases.size]).toEqual([0, 0]);
  });

  it('are written down before their round, with all that it takes to start them', async () => {
    const world = fakeWorld(slotted());
    await sweep(world);
    expect(proposals(world).map(({ round, variants }) => [round, variants])).toEqual(
      tries.map((sizes, round) => [round, sizes.map(pool)]),
    );
    for (const { round } of proposals(world)) {
      const place = world.records.findIndex((record) => record.type === 'proposed' && record.round === round);
      const first = world.records.findIndex((record) => record.type === 'arm' && record.round === round + 1);
      expect(place).toBeLessThan(first);
      const before = world.records.slice(0, place).filter((record): record is RoundRecord => record.type === 'round');
      expect(before.length).toBe(round);
    }
    expect(world.events.filter(({ kind }) => kind === 'proposed')).toHaveLength(4);
  });

  it('are not written down where no round follows, and stay while nothing else is proposed', async () => {
    const world = fakeWorld(slotted(3, { rounds: { min: 1, max: 3, budgetMs: 1e9 } }));
    const decideStop = (round: number): StopDecision =>
      round === 0 ? search(5, 20) : { stop: false, undecided: 1, ...(round === 3 && search(7)) };
    await sweep(world, { decideStop });
    expect(proposals(world).map(({ round }) => round)).toEqual([0]);
    expect(measured(world)).toEqual(Array(3).fill([5, 10, 10, 20]));
  });

  it('may be none: then a round measures the control alone', async () => {
    const world = fakeWorld(slotted(3, { rounds: { min: 1, max: 3, budgetMs: 1e9 } }));
    const none: StopDecision = { stop: false, undecided: 1, proposed: { stage: 'confirm', variants: [] } };
    await sweep(world, { decideStop: (round) => (round === 0 ? search(5, 20) : none) });
    expect(proposals(world).map(({ stage, variants }) => [stage, variants.length])).toContainEqual(['confirm', 0]);
    expect(measured(world)).toEqual([
      [5, 10, 10, 20],
      [10, 10],
      [10, 10],
    ]);
  });

  it('have the place of their slot in every round, whoever held it before', async () => {
    const world = fakeWorld(slotted());
    const names: [string, string][] = [];
    const { startTarget } = world.context.stack;
    const stack: typeof world.context.stack = {
      ...world.context.stack,
      startTarget: (start) => {
        names.push([start.variant.name, start.armName ?? '']);
        return startTarget(start);
      },
    };
    await sweep(world, { stack });
    expect(new Set(names.filter(([variant]) => variant === 'pool=12').map(([, name]) => name))).toEqual(
      new Set(['pgsweep_a3']),
    );
    expect(new Set(names.map(([, name]) => name))).toEqual(new Set([0, 1, 2, 3, 4].map((slot) => `pgsweep_a${slot}`)));
  });

  it('are in groups by the number of slots, however many are proposed', async () => {
    const world = fakeWorld(slotted(20));
    const planned = plannedArms(slotted(20));
    const controls = planned.filter(({ variant }) => variant.name === 'pool=10').length;
    expect([planned.length, controls % 2, controls > 2]).toEqual([20 + controls, 0, true]);
    await sweep(world, { decideStop: () => search(5, 20) });
    const arms = world.records.filter((record) => record.type === 'arm' && record.round === 2);
    expect(arms).toHaveLength(controls + 2);
  });

  it('tell the judge how many rounds are left of the budget', async () => {
    const world = fakeWorld(slotted(3, { rounds: { min: 1, max: 40, budgetMs: 300_000 } }));
    const told: number[] = [];
    await sweep(world, {
      decideStop: (round, isEnd, roundsLeft) => {
        if (isEnd !== true) told.push(roundsLeft ?? Number.NaN);
        return byTries(round % 4);
      },
    });
    const done = rounds(world).length;
    expect(told).toHaveLength(done + 1);
    expect(told.at(-1)).toBe(0);
    for (const [round, left] of told.slice(1).entries()) expect(Math.abs(left - (done - round - 1))).toBeLessThan(2);
  });
});

describe('a run that has decided', () => {
  const parts: Proposal = { stage: 'confirm', variants: [pool(12), pool(20)], parts: ['pool=20'] };
  const byBudget = async (decided: (isOver: boolean) => StopDecision) => {
    const rules = { min: 1, max: 40, budgetMs: 300_000, settleWithinMs: 900_000 };
    const world = fakeWorld(slotted(3, { rounds: rules }));
    let beyond = 0;
    const reason = await sweep(world, {
      decideStop(round) {
        const isOver = world.clock.nowMs() > 300_000;
        if (isOver) beyond++;
        return round === 0 ? search(5, 20) : decided(isOver);
      },
    });
    return { reason, beyond, parts: proposals(world).filter((one) => one.parts !== undefined).length };
  };

  it('beyond its budget ends as answered, and does not measure what settles nothing', async () => {
    const open: StopDecision = { stop: false, undecided: 1 };
    const settled: StopDecision = { stop: false, undecided: 0, proposed: parts };
    expect(await byBudget((isOver) => (isOver ? settled : open))).toEqual({ reason: 'verdicts', beyond: 1, parts: 0 });
    // Within the budget it has time for that.
    expect(await byBudget(() => settled)).toMatchObject({ reason: 'verdicts', beyond: 0, parts: expect.any(Number) });
  });

  it('that more rounds would not settle is stuck still', async () => {
    const stuck: StopDecision = { stop: false, undecided: 0, stuck: true };
    expect((await byBudget(() => stuck)).reason).toBe('stuck');
  });
});

it('a run that is looked at no more ends by its rounds, and is asked once more as one that ends', async () => {
  const world = fakeWorld(slotted(3, { rounds: { min: 1, max: 40, budgetMs: 1e9 } }));
  const ended: number[] = [];
  const reason = await sweep(world, {
    decideStop(round, isEnd) {
      if (isEnd) ended.push(round);
      return { ...byTries(round % 4), ...(round === 7 && { isOver: true }) };
    },
  });
  expect([reason, rounds(world).length, ended]).toEqual(['rounds', 7, [7]]);
});

describe('a run that is resumed', () => {
  const resumed = async (records: readonly JournalRecord[], firstRound: number) => {
    const world = fakeWorld(slotted());
    const asked: number[] = [];
    const decideStop = (round: number, isEnd?: boolean): StopDecision => {
      if (isEnd !== true) asked.push(round);
      return byTries(round);
    };
    await sweep(world, { decideStop, firstRound, lineUpBefore: lastLineUp({ records }) });
    return { world, asked };
  };
  const whole = async (): Promise<JournalRecord[]> => {
    const world = fakeWorld(slotted());
    await sweep(world);
    return world.records;
  };
  const until = (records: readonly JournalRecord[], type: 'proposed' | 'round', round: number): JournalRecord[] =>
    records.slice(0, 1 + records.findIndex((record) => record.type === type && record.round === round));

  it('takes the proposal that stands in its journal, and does not ask for it again', async () => {
    const { world, asked } = await resumed(until(await whole(), 'proposed', 2), 3);
    expect(asked).toEqual([3, 4]);
    expect(measured(world)).toEqual([
      [8, 10, 10, 12],
      [9, 10, 10, 11, 14],
    ]);
    expect(proposals(world).map(({ round }) => round)).toEqual([3]);
  });

  it('asks for one where its last round was the last thing that it wrote', async () => {
    const { world, asked } = await resumed(until(await whole(), 'round', 2), 3);
    expect(asked).toEqual([2, 3, 4]);
    expect(measured(world)[0]).toEqual([8, 10, 10, 12]);
  });
});

describe('a variant that is refused', () => {
  const refusing = (code: 'target' | 'scenario' | 'disk', arms: readonly string[]): FakeWorld => {
    const world = fakeWorld(slotted());
    world.onStart = (arm) => {
      if (arms.includes(arm)) throw new PgsweepError(code, `${arm} cannot be had`);
    };
    return world;
  };

  it('by its server or its service is left out with the reason, and the round begins again without it', async () => {
    for (const code of ['target', 'scenario'] as const) {
      const world = refusing(code, ['pool=90', 'pool=6']);
      await sweep(world);
      expect(measured(world)).toEqual([
        [1, 10, 10, 30],
        [10, 10, 12, 20],
        [8, 10, 10, 12],
        [9, 10, 10, 11, 14],
      ]);
      expect(world.records.filter(({ type }) => type === 'refused')).toEqual([
        { type: 'refused', round: 1, variant: 'pool=90', reason: 'pool=90 cannot be had' },
        { type: 'refused', round: 2, variant: 'pool=6', reason: 'pool=6 cannot be had' },
      ]);
      expect([world.running.size, world.databases.size]).toEqual([0, 0]);
    }
  });

  it('under load has no slice in its round', async () => {
    const world = fakeWorld(slotted());
    world.onLoad = (job, arm) => {
      if (job.variant?.name === 'pool=30' && world.log.filter((line) => line.startsWith(`load ${arm}`)).length > 12)
        world.kill(arm);
    };
    await sweep(world);
    const [first] = measured(world);
    expect(first).toEqual([1, 10, 10, 90]);
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'refused', variant: 'pool=30' }));
    const slices = world.records.filter((record) => record.type === 'slice' && record.round === 1);
    expect(slices.length).toBeGreaterThanOrEqual(4);
  });

  it('stays away from a run that is resumed in that round', () => {
    const records: JournalRecord[] = [
      { type: 'proposed', round: 0, stage: 'search', variants: [pool(1), pool(90)] },
      { type: 'refused', round: 1, variant: 'pool=90', reason: 'no' },
    ];
    const lineUp = records.reduce(lineUpAfter, plannedLineUp);
    expect(lineUp.proposed?.variants).toEqual([pool(1)]);
    expect(lastLineUp({ records })).toEqual(lineUp);
  });

  it('ends the run where it is the control, or where the fault is the machine’s', async () => {
    await expect(sweep(refusing('target', ['pool=10']))).rejects.toThrow('pool=10 cannot be had');
    await expect(sweep(refusing('disk', ['pool=90']))).rejects.toThrow('pool=90 cannot be had');
  });

  it('may be every one of them: the control alone is measured', async () => {
    const world = refusing('target', ['pool=1', 'pool=30', 'pool=90']);
    await sweep(world);
    expect(measured(world)[0]).toEqual([10, 10]);
    expect(measured(world)).toHaveLength(4);
  });
});
