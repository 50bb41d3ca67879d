import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import type { Journal, JournalSoFar } from '../../../../src/journal/journal.ts';
import type { Spreads } from '../../../../src/journal/length-records.ts';
import { loadSize } from '../../../../src/journal/load-level.ts';
import { countOk } from '../../../../src/journal/outcomes.ts';
import type { JournalRecord, SliceRecord } from '../../../../src/journal/records.ts';
import type { WarmupRecord } from '../../../../src/journal/uncounted-records.ts';
import { aggregateRun } from '../../../../src/judge/read/aggregate-run.ts';
import { visitRounds } from '../../../../src/judge/read/rounds/complete-rounds.ts';
import { gatherSpreads } from '../../../../src/judge/read/rounds/spreads.ts';
import { mean } from '../../../../src/judge/stats/moments.ts';
import { type FixtureJournal, fixtureJournal, normal } from '../../journal-fixture.ts';

const TURNS = 16;

function spreadsOf(journal: JournalSoFar): Spreads {
  const seen = gatherSpreads(journal.run.scenario.load);
  visitRounds(journal, seen.add);
  return seen.spreads();
}

interface Scatter {
  readonly rounds?: number;
  /** Of a turn, and of a start; of a cycle and of a round, which all arms share. */
  readonly turn?: number;
  readonly start?: number;
  readonly mood?: number;
  /** By how much each arm is faster than the one before. */
  readonly effect?: number;
  readonly change?: (slice: SliceRecord) => Partial<SliceRecord>;
}

/** By the number of rounds: what scatters comes on top of it. */
const plain = new Map<number, FixtureJournal>();

function plainJournal(rounds: number): FixtureJournal {
  const known = plain.get(rounds);
  if (known !== undefined) return known;
  const made = fixtureJournal({ rounds, connections: [1, 25], windowMs: 3000, requestsPerSecond: 1 });
  plain.set(rounds, made);
  return made;
}

/** A journal of five arms under two load levels, whose slices of 4 s are 16 turns that scatter as asked. */
function journal(
  seed: number,
  { rounds = 6, turn = 0.1, start = 0.03, mood = 0.1, effect = 0, change = () => ({}) }: Scatter = {},
): Journal {
  const random = createRandom(seed);
  const whole = plainJournal(rounds);
  const moods = new Map<string, number[]>();
  const arms = new Map<string, number>();
  const records = whole.records.map((record): JournalRecord => {
    if (record.type !== 'slice') return record;
    const pass = `${record.round} ${loadSize(record.load)}`;
    const cycles = moods.get(pass) ?? Array.from({ length: TURNS }, () => mood * normal(random));
    moods.set(pass, cycles);
    if (!arms.has(record.arm)) arms.set(record.arm, arms.size);
    const own = effect * (arms.get(record.arm) ?? 0) + start * normal(random);
    const ok = cycles.map((one) => Math.round(1000 * Math.exp(own + one + turn * normal(random))));
    const count = ok.reduce((sum, one) => sum + one, 0);
    return {
      ...record,
      latency: { ...record.latency, count },
      turns: { turnMs: 250, ok, okByTime: ok, gapMaxMs: 1000 },
      ...change(record),
    };
  });
  return { ...whole, records };
}

function means(scatter: Scatter): { within: number; between: number } {
  const levels = Array.from({ length: 40 }, (_, seed) => spreadsOf(journal(seed, scatter)).levels).flat();
  return {
    within: mean(levels.map(({ withinPerS }) => withinPerS ?? Number.NaN)),
    between: mean(levels.map(({ between }) => between?.variance ?? Number.NaN)),
  };
}

describe('the spreads of a journal', () => {
  it('are the variance of a second of slice within a start, and what starts add', () => {
    const { within, between } = means({});
    // A slice of 4 s has 16 turns.
    expect(within / ((4 * 0.1 ** 2) / 16)).toBeCloseTo(1, 1);
    expect(between / 0.03 ** 2).toBeGreaterThan(0.85);
    expect(between / 0.03 ** 2).toBeLessThan(1.15);
    expect(Math.abs(means({ start: 0 }).between)).toBeLessThan(0.005 ** 2);
  });

  it('are the same whichever arm is faster', () => {
    const [none, planted] = [means({}), means({ effect: 0.1 })];
    expect(planted.within / none.within).toBeCloseTo(1, 2);
    expect(planted.between / none.between).toBeCloseTo(1, 1);
  });

  it('tell within a start from the first round on, and between starts from the second', () => {
    const [level] = spreadsOf(journal(1, { rounds: 1 })).levels;
    expect(level?.withinPerS).toBeGreaterThan(0);
    expect(level?.between).toBeNull();
    expect(spreadsOf(journal(1, { rounds: 3 })).levels[0]?.between?.df).toBe(2 * 4);
  });

  it('tell the answers of a second of slice, of the slowest arm in the last round', () => {
    const [level] = spreadsOf(journal(1, { turn: 0, start: 0, mood: 0, effect: 0.1 })).levels;
    expect(level?.countedPerS).toBe(16_000 / 4);
  });

  it('see nothing within whole slices, and leave void ones out', () => {
    const whole = spreadsOf(
      journal(1, { change: () => ({ turns: { turnMs: 4000, ok: [16_000], okByTime: [16_000], gapMaxMs: 0 } }) }),
    );
    expect(whole.levels.map(({ withinPerS, between }) => [withinPerS, between])).toEqual(Array(2).fill([null, null]));
    const voided = spreadsOf(
      journal(1, { change: ({ round }) => (round === 2 ? { voided: ['generator busy'] } : {}) }),
    );
    expect(voided.levels[0]?.between?.df).toBe(4 * 4);
  });
});

describe('what turns hid', () => {
  const [COUNTED_MS, HIDDEN_MS, ROUNDS] = [200, 10, 3];
  /** In each turn of one arm, or of all, this much came within it as would take some ms longer by what was sent. */
  const hiding = (arm: string, ms = HIDDEN_MS): Journal => {
    const random = createRandom('hiding');
    return journal(1, {
      rounds: ROUNDS,
      change: ({ arm: own, load }) => {
        const clients = loadSize(load);
        const hiddenMs = own === arm || arm === 'all arms' ? ms : 0;
        const ok = Array.from({ length: TURNS }, () => 1000 + Math.round(20 * normal(random)));
        const busyMs = ok.map((count) => (clients * COUNTED_MS * count) / 1000);
        const okByTime = ok.map(() => (1000 * (COUNTED_MS + hiddenMs + 4 * normal(random))) / COUNTED_MS);
        const turns = { turnMs: 250, ok, okByTime, busyMs, gapMaxMs: 1000 };
        return { turns, windowMs: TURNS * COUNTED_MS };
      },
    });
  };

  it('is that of the arm that it is most of, where it is certain', () => {
    for (const { waits } of spreadsOf(hiding('pool=25')).levels) {
      expect(waits?.turnMs).toBe(250);
      expect((waits?.hiddenMs ?? 0) / HIDDEN_MS).toBeCloseTo(1, 0);
    }
    for (const { waits } of spreadsOf(hiding('no arm')).levels) expect(waits?.hiddenMs).toBe(0);
  });

  it('is let be up to 1 %', () => {
    for (const { waits } of spreadsOf(hiding('pool=25', 0.008 * COUNTED_MS)).levels) expect(waits?.hiddenMs).toBe(0);
  });

  it('is let be where all arms hide alike, unless that is more than 5 %', () => {
    for (const { waits } of spreadsOf(hiding('all arms', 0.04 * COUNTED_MS)).levels) expect(waits?.hiddenMs).toBe(0);
    for (const { waits } of spreadsOf(hiding('all arms', 0.1 * COUNTED_MS)).levels)
      expect((waits?.hiddenMs ?? 0) / (0.1 * COUNTED_MS)).toBeCloseTo(1, 0);
  });

  it('is that of all levels together where they are found', () => {
    const { run, records } = hiding('pool=25');
    const seen = gatherSpreads({ ...run.scenario.load, levels: [] });
    visitRounds({ run, records }, seen.add);
    const { levels, found } = seen.spreads();
    expect(levels).toEqual([]);
    expect((found?.hiddenMs ?? 0) / HIDDEN_MS).toBeCloseTo(1, 0);
  });

  it('is, of an arm whose capacity is looked for, a share of its time at all levels together', () => {
    const { run, records } = hiding('pool=25');
    const capacity = { of: 'connections', from: 1, to: 25, until: [{ metric: 'mean_ms', most: 10 }] } as const;
    const scenario = { ...run.scenario, load: { ...run.scenario.load, levels: [], capacity } };
    const { capacity: arms } = aggregateRun({ run: { ...run, scenario }, records }, { latencies: 'left alone' });
    const shares = new Map(arms.map(({ variant, hiddenShare }) => [variant, hiddenShare]));
    expect([...shares.keys()]).toHaveLength(4);
    for (const [variant, share] of shares) {
      if (variant === 'pool=25') expect(share / (HIDDEN_MS / COUNTED_MS)).toBeCloseTo(1, 0);
      else expect(share).toBe(0);
    }
  });

  it('is, where users are looked for, by how much more an arm is sent than comes of it', () => {
    const random = createRandom('users');
    const { run, records } = plainJournal(3);
    const ofUsers = records.map((record): JournalRecord => {
      if (record.type === 'pass') return { ...record, load: { users: loadSize(record.load) } };
      if (record.type !== 'slice') return record;
      const ok = countOk(record);
      const growing = (record.variant === 'pool=25' ? 1.05 : 1) * Math.exp(0.003 * normal(random));
      const turns = { turnMs: 5000, ok: [ok], okByTime: [ok / growing], gapMaxMs: 0 };
      return { ...record, load: { users: loadSize(record.load) }, turns };
    });
    const capacity = { of: 'users', from: 1, to: 25, until: [{ metric: 'mean_ms', most: 10 }] } as const;
    const scenario = { ...run.scenario, load: { ...run.scenario.load, levels: [], capacity } };
    const journal = { run: { ...run, scenario }, records: ofUsers };
    const { capacity: arms } = aggregateRun(journal, { latencies: 'left alone' });
    expect(arms).toHaveLength(5);
    for (const { variant, hiddenShare } of arms) expect(hiddenShare).toBeCloseTo(variant === 'pool=25' ? 0.05 : 0, 2);
  });
});

describe('how warm arms were', () => {
  const warmup = (arm: string, changes: Partial<WarmupRecord>): WarmupRecord => ({
    type: 'warmup',
    round: 1,
    arm,
    load: { connections: 25 },
    durationMs: 1400,
    outcomes: { '200': 900, '500': 20 },
    turns: [100, 300, 400, 120],
    turnsMs: [500, 500, 500, 100],
    ...changes,
  });
  const seen = (...warmups: WarmupRecord[]) => {
    const { run, records } = journal(1, { rounds: 1 });
    return spreadsOf({ run, records: [...warmups, ...records] }).warmups;
  };

  it('is told by all arms together and by the slowest', () => {
    const [found] = seen(warmup('a', {}), warmup('b', { turns: [50, 150, 200, 60], outcomes: { '200': 460 } }));
    expect(found).toMatchObject({ requests: 460, perS: 460 / 1.4 });
    expect(found?.growth).toBeCloseTo(Math.log(520 / 0.6 / (300 / 0.5)), 9);
  });

  it('is not told of arms that were not warmed, and no growth of too few turns', () => {
    expect(seen()).toEqual([]);
    expect(seen(warmup('a', { turns: [920], turnsMs: [1400] }))).toEqual([
      { requests: 920, growth: null, perS: 920 / 1.4 },
    ]);
  });

  it('is told for each workload by itself', () => {
    const reads = { load: { connections: 25, workload: 'get-documents' } } as const;
    expect(seen(warmup('a', { outcomes: { '200': 300 } }), warmup('a', reads))).toMatchObject([
      { requests: 300 },
      { workload: 'get-documents', requests: 920 },
    ]);
  });
});
