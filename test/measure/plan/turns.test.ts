import { describe, expect, it } from 'vitest';
import { armsOf } from '../../../src/measure/plan/arms.ts';
import { groupCount, groupsOf } from '../../../src/measure/plan/groups.ts';
import {
  countedPart,
  leastTurnMs,
  mostArmsInTurns,
  sliceForWaits,
  turnLength,
} from '../../../src/measure/plan/turn-length.ts';
import { turnOrder } from '../../../src/measure/plan/turn-order.ts';
import { PAUSE_MS } from '../../../src/measure/probe/meter/pass-counters.ts';
import { testScenario } from '../../fixtures/scenario.ts';

/** How often each arm comes directly after each other within a cycle: `0>1`. */
function neighbours(cycles: readonly (readonly number[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const cycle of cycles) {
    cycle.slice(1).forEach((arm, before) => {
      const pair = `${cycle[before]}>${arm}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    });
  }
  return counts;
}

describe('the order of turns', () => {
  it.each([2, 3, 4, 5, 8, 12])(
    'of %i arms: every arm comes directly after every other, also the other way round',
    (arms) => {
      const square = turnOrder(arms, arms + (arms % 2), 7);
      const counts = neighbours(square);
      expect(counts.size).toBe(arms * (arms - 1));
      // Once in the square; an odd number leaves out one of a larger square, where two become neighbours instead.
      expect(Math.max(...counts.values())).toBe(arms % 2 === 0 ? 1 : 2);
      const rows = square.map((row) => row.join());
      for (const row of square) expect(rows).toContain([...row].reverse().join());
    },
  );

  it.each([2, 5, 8, 12])('of %i arms: each has one turn a cycle, and every place of it', (arms) => {
    const square = turnOrder(arms, arms + (arms % 2), 3);
    for (const row of square) expect([...row].sort((a, b) => a - b)).toEqual(Array.from({ length: arms }, (_, i) => i));
    if (arms % 2 === 0) {
      for (let place = 0; place < arms; place++) expect(new Set(square.map((row) => row[place])).size).toBe(arms);
    }
  });

  it.each([3, 5, 8, 12])(
    'of %i arms: at most two turns more than there are arms lie between two of one arm',
    (arms) => {
      const turns = turnOrder(arms, 6 * arms, 11).flat();
      const last = new Map<number, number>();
      turns.forEach((arm, at) => {
        const before = last.get(arm);
        if (before !== undefined) expect(at - before - 1).toBeLessThanOrEqual(arms + 2);
        last.set(arm, at);
      });
    },
  );

  it('keeps the order of a cycle in the one that follows a pause', () => {
    const cycles = turnOrder(5, 12, 4, [3, 11]);
    expect(cycles[3]).toEqual(cycles[2]);
    expect(cycles[11]).toEqual(cycles[10]);
    expect(cycles[4]).toEqual(turnOrder(5, 12, 4)[3]);
  });

  it('is the same for the same seed, and another for another', () => {
    expect(turnOrder(5, 16, 1)).toEqual(turnOrder(5, 16, 1));
    expect(turnOrder(5, 16, 1)).not.toEqual(turnOrder(5, 16, 2));
  });
});

describe('the length of a turn', () => {
  const auto = { sliceMs: 4000, turn: 'auto' } as const;

  it('is at least 25 mean latencies and 50 ms, and an arm has exactly its slice', () => {
    expect(turnLength(auto, { latencyMs: 0.7 })).toEqual({ turnMs: 50, turnsPerArm: 80 });
    expect(turnLength(auto, { latencyMs: 14 })).toEqual({ turnMs: 4000 / 12, turnsPerArm: 12 });
    for (const latencyMs of [0.1, 2, 3.3, 12.8]) {
      const length = turnLength(auto, { latencyMs });
      expect((length?.turnMs ?? 0) * (length?.turnsPerArm ?? 0)).toBeCloseTo(4000);
      expect(length?.turnMs).toBeGreaterThanOrEqual(Math.max(50, 25 * latencyMs));
    }
  });

  it('is shorter where few turns would be left, and has at least five latencies', () => {
    expect(turnLength(auto, { latencyMs: 30 })).toEqual({ turnMs: 4000 / 12, turnsPerArm: 12 });
    expect(turnLength(auto, { latencyMs: 76 })).toEqual({ turnMs: 400, turnsPerArm: 10 });
    for (const latencyMs of [50, 90, 150, 200]) {
      const { turnMs = 0, turnsPerArm = 0 } = turnLength(auto, { latencyMs }) ?? {};
      expect(turnsPerArm).toBeLessThanOrEqual(12);
      expect(turnMs).toBeGreaterThanOrEqual(5 * latencyMs);
    }
  });

  it('is no longer in a longer slice', () => {
    expect(turnLength({ ...auto, sliceMs: 9500 }, { latencyMs: 80 })).toEqual({ turnMs: 9500 / 18, turnsPerArm: 18 });
    expect(turnLength({ ...auto, sliceMs: 9500 }, { latencyMs: 150 })).toEqual({ turnMs: 9500 / 12, turnsPerArm: 12 });
  });

  it('is none where it would be no shorter than a slice, and where the scenario says so', () => {
    expect(turnLength(auto, { latencyMs: 401 })).toBeNull();
    expect(turnLength({ sliceMs: 4000, turn: 'off' }, { latencyMs: 1 })).toBeNull();
    expect(turnLength({ sliceMs: 4000, turn: 500 }, { latencyMs: 1 })).toEqual({ turnMs: 500, turnsPerArm: 8 });
  });

  it('is no shorter than its last answers are waited for, and than turns that hid no waits', () => {
    expect(turnLength(auto, { latencyMs: 14, drainMs: 700 })).toEqual({ turnMs: 800, turnsPerArm: 5 });
    expect(turnLength(auto, { latencyMs: 14, leastTurnMs: 1400 })).toEqual({ turnMs: 2000, turnsPerArm: 2 });
    expect(turnLength(auto, { latencyMs: 14, leastTurnMs: 2100 })).toBeNull();
    // What the scenario names stays.
    expect(turnLength({ ...auto, turn: 250 }, { latencyMs: 14, drainMs: 700, leastTurnMs: 2100 })?.turnMs).toBe(250);
  });

  it('is as long as leaves 1 % of it hidden, at most eight times as long as the last', () => {
    expect(leastTurnMs({ turnMs: 100, hiddenMs: 0 })).toBeNull();
    expect(leastTurnMs({ turnMs: 100, hiddenMs: 1.2 })).toBeCloseTo(120);
    expect(leastTurnMs({ turnMs: 100, hiddenMs: 50 })).toBe(800);
    // And shorter again, where all that was seen so far says so.
    expect(leastTurnMs({ turnMs: 800, hiddenMs: 1.5 })).toBeCloseTo(150);
  });

  it('a whole slice has room for twenty of the longest waits, up to a minute', () => {
    expect(sliceForWaits(300)).toBe(6000);
    expect(sliceForWaits(2000)).toBe(40_000);
    expect(sliceForWaits(10_000)).toBe(60_000);
  });

  it('counts all but the beginning, in which the queue fills', () => {
    const ends = { dropMs: 100, clients: 1 };
    expect(countedPart(250, { ...ends, latencyMs: 9 })).toEqual({ fromMs: 25, toMs: 250 });
    expect(countedPart(2000, { ...ends, latencyMs: 9 })).toEqual({ fromMs: 100, toMs: 2000 });
    expect(countedPart(400, { ...ends, latencyMs: 76 })).toEqual({ fromMs: 76, toMs: 400 });
    expect(countedPart(400, { ...ends, latencyMs: 300 })).toEqual({ fromMs: 80, toMs: 400 });
    // A queue takes as long to fill as to empty.
    expect(countedPart(4000, { ...ends, latencyMs: 9, drainMs: 470 })).toEqual({ fromMs: 470, toMs: 4000 });
    expect(countedPart(500, { ...ends, latencyMs: 9, drainMs: 470 })).toEqual({ fromMs: 100, toMs: 500 });
  });

  it('and the last latency where connections share a service', () => {
    const ends = { dropMs: 100, clients: 25 };
    expect(countedPart(400, { ...ends, latencyMs: 20 })).toEqual({ fromMs: 40, toMs: 380 });
    expect(countedPart(400, { ...ends, latencyMs: 76 })).toEqual({ fromMs: 76, toMs: 360 });
    for (const clients of [1, null]) expect(countedPart(400, { ...ends, clients, latencyMs: 76 }).toMs).toBe(400);
  });
});

describe('groups of arms', () => {
  const names = Array.from({ length: 20 }, (_, index) => (index === 0 ? 'Control' : `v${index}`));
  const base = testScenario();
  const many = {
    ...base,
    variants: names.map((name) => ({ name, factors: {}, env: {} })),
    control: 'Control',
    load: { ...base.load, sliceMs: 2000 },
  };

  it('are one where all can take turns', () => {
    const arms = armsOf(testScenario());
    expect(groupCount(testScenario())).toBe(1);
    expect(groupsOf(arms, 'pool=10', 1, 1)).toEqual([arms]);
  });

  it('have control arms of their own each, and every other arm once, evenly', () => {
    expect(groupCount(many)).toBe(2);
    const arms = armsOf(many);
    expect(arms.map(({ name }) => name)).toEqual([
      'Control',
      'Control (A/A)',
      ...names.slice(1),
      'Control (group 2)',
      'Control (A/A, group 2)',
    ]);
    const groups = groupsOf(arms, 'Control', 1, 1);
    expect(groups.map(({ length }) => length)).toEqual([12, 11]);
    for (const group of groups) {
      expect(group.slice(0, 2).map(({ variant, repeat }) => [variant.name, repeat])).toEqual([
        ['Control', false],
        ['Control', true],
      ]);
    }
    expect(new Set(groups.flat())).toEqual(new Set(arms));
    expect(groups.flat()).toHaveLength(arms.length);
  });

  it('are drawn anew for each round, so that every variant is as often in each', () => {
    const arms = armsOf(many);
    const firstOf = (round: number) => groupsOf(arms, 'Control', 1, round)[0]?.map(({ name }) => name) ?? [];
    expect(firstOf(1)).toEqual(firstOf(1));
    const rounds = Array.from({ length: 400 }, (_, round) => firstOf(round));
    for (const name of names.slice(1)) {
      const often = rounds.filter((group) => group.includes(name)).length;
      expect(often).toBeGreaterThan(400 * (10 / 19) - 50);
      expect(often).toBeLessThan(400 * (10 / 19) + 50);
    }
  });

  it('are one where there are no turns, one process, or a capacity', () => {
    expect(groupCount({ ...many, load: { ...many.load, turn: 'off' } })).toBe(1);
    expect(groupCount({ ...many, load: { ...many.load, levels: [{ rate: 100 }] } })).toBe(1);
    const capacity = { of: 'connections', from: 1, to: 64, until: [] } as const;
    expect(groupCount({ ...many, load: { ...many.load, levels: [], capacity } })).toBe(1);
  });

  it('keep the time between two turns of an arm under 4 s', () => {
    for (const [turnMs, latencyMs] of [
      [50, 1],
      [364, 14],
      [300, 12],
    ] as const) {
      const most = mostArmsInTurns(turnMs, latencyMs);
      expect((most + 2) * (turnMs + latencyMs)).toBeLessThanOrEqual(4000);
      expect((most - 1) * (turnMs + latencyMs) + PAUSE_MS).toBeLessThanOrEqual(4000);
    }
    expect(mostArmsInTurns(50, 1)).toBeGreaterThanOrEqual(12);
  });
});
