import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import type { LevelSpread } from '../../../src/journal/length-records.ts';
import { divideTime, hasRoomFor, type LevelToTime, type TimeToDivide } from '../../../src/measure/plan/divide-time.ts';
import { estimate } from '../../../src/measure/plan/estimate.ts';
import { withFirstSlices } from '../../../src/measure/plan/first-slices.ts';
import { planRun } from '../../../src/measure/plan/run-plan.ts';
import { countedPart, leastSliceMs } from '../../../src/measure/plan/turn-length.ts';
import { longerWarmup, warmupAfter } from '../../../src/measure/plan/warmup-length.ts';
import { examineBudget } from '../../../src/measure/run/preflight/budget.ts';
import { createTurnSchedule } from '../../../src/measure/run/round/turn-schedule.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { normal } from '../../judge/journal-fixture.ts';

/** A level whose turns of a third of a second scatter by this many percent, with this much between starts. */
function level(connections: number, turnPercent: number, betweenPercent = 2, perS = 1e6): LevelToTime {
  const spread: LevelSpread = {
    load: { connections },
    withinPerS: (turnPercent / 100) ** 2 / 3,
    between: { variance: (betweenPercent / 100) ** 2, df: 1e6 },
    countedPerS: perS,
    waits: null,
  };
  return { load: { connections }, sliceMs: 4000, firstMs: 4000, leastMs: 2000, spread };
}

/** Five arms whose starts take 30 s a round. */
function divide(levels: LevelToTime[], changes: Partial<TimeToDivide> = {}): number[] {
  const time = { levels, besideMs: 30_000, costPerMs: 5.3, leftMs: 490_000, roundsDone: 1, mostRounds: 40, ...changes };
  return divideTime(time).map(({ sliceMs }) => sliceMs);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const roundMs = (slices: readonly number[]): number => 30_000 + 5.3 * sum(slices);

describe('the time of a round', () => {
  it('goes to the load levels in proportion to what they scatter within a start', () => {
    const [calm = 0, noisy = 0] = divide([level(1, 8), level(25, 12)]);
    expect(noisy / calm).toBeCloseTo((12 / 8) ** 2, 1);
  });

  it('is what Kalibera and Jones give for one load level: sqrt(cost of a start / cost of a second x within / between)', () => {
    for (const [turnPercent, betweenPercent] of [
      [10, 2],
      [20, 4],
      [15, 2.5],
    ] as const) {
      const [sliceMs = 0] = divide([level(25, turnPercent, betweenPercent)], { leftMs: 1e8, mostRounds: 3000 });
      const within = turnPercent ** 2 / 3;
      expect(sliceMs / 1000 / Math.sqrt((30 / 5.3) * (within / betweenPercent ** 2))).toBeCloseTo(1, 1);
    }
  });

  it('lets six rounds fit into the budget, five or four where six would leave too little, and no more than the scenario has', () => {
    const levels = [level(1, 15, 0), level(25, 15, 0), level(50, 15, 0)];
    const six = roundMs(divide(levels));
    expect(5 * six).toBeLessThanOrEqual(490_000);
    expect(5 * six).toBeGreaterThan(460_000);
    const tight = roundMs(divide(levels, { leftMs: 220_000 }));
    expect(3 * tight).toBeLessThanOrEqual(220_000);
    expect(4 * tight).toBeGreaterThan(220_000);
    expect(roundMs(divide(levels, { mostRounds: 3, leftMs: 300_000 })) * 2).toBeGreaterThan(280_000);
    // Where not even that fits, slices are as short as they may be.
    expect(divide(levels, { leftMs: 100_000 })).toEqual([2000, 2000, 2000]);
  });

  it('is spent on more rounds where starts scatter more than turns', () => {
    const [steady, odd] = [0, 5].map((between) => roundMs(divide([level(25, 10, between)]))) as [number, number];
    expect(odd).toBeLessThan(steady);
  });

  it('leaves p95 its samples as far as there is time', () => {
    const slow = level(1, 3, 2, 250);
    expect(divide([slow, level(25, 12)])[0]).toBeGreaterThanOrEqual(3999);
    // Of two that cannot both have them, the one that takes less.
    const [first = 0, second = 0] = divide([level(1, 3, 2, 250), level(25, 3, 2, 125), level(50, 20)]);
    expect(first).toBeGreaterThanOrEqual(3999);
    expect(second).toBeLessThan(8000);
  });

  it('has room for twenty of the longest waits where turns that hide none would be longer than half a slice', () => {
    const hidden = { leastTurnMs: 9000, longestMs: 900 };
    const many = { leftMs: 2_000_000 };
    expect(divide([{ ...level(25, 12), hidden }], many)[0]).toBeGreaterThanOrEqual(18_000);
    expect(divide([{ ...level(25, 12), hidden: { leastTurnMs: 900, longestMs: 900 } }], many)).toEqual(
      divide([level(25, 12)], many),
    );
    // Levels whose noise is not known, such as those of whole slices, too.
    const unknown = { ...level(50, 12), spread: null };
    expect(divide([level(25, 12), { ...unknown, hidden }], many)[1]).toBe(18_000);
    expect(divide([level(25, 12), unknown], many)[1]).toBe(4000);
  });

  it('has that room as far as five rounds fit into the budget', () => {
    const levels = [level(1, 8), { ...level(25, 12), hidden: { leastTurnMs: 9000, longestMs: 2000 } }];
    const slices = divide(levels);
    expect(slices[1]).toBeLessThan(40_000);
    expect(slices[1]).toBeGreaterThan(14_000);
    expect(4 * roundMs(slices)).toBeLessThanOrEqual(490_000);
    // Not even that: slices are no shorter than without waits.
    expect(divide(levels, { leftMs: 100_000 })).toEqual([2000, 2000]);
    // Without a budget nothing says how long a run may be.
    expect(Math.max(...divide(levels, { leftMs: Number.POSITIVE_INFINITY }))).toBeLessThanOrEqual(15_000);
  });

  it('is divided anew, and together as long, where there is no budget', () => {
    const slices = divide([level(1, 8), level(25, 12)], { leftMs: Number.POSITIVE_INFINITY });
    expect(sum(slices)).toBeCloseTo(8000, -1);
    expect((slices[1] ?? 0) / (slices[0] ?? 1)).toBeCloseTo((12 / 8) ** 2, 1);
  });

  it('is as in the first round again where there is no budget, once no slice has to be longer', () => {
    const noBudget = { leftMs: Number.POSITIVE_INFINITY };
    const levels = [level(1, 8), level(25, 12)];
    const slow = levels.map((one) => ({ ...one, leastMs: 9000 }));
    const grown = divide(slow, noBudget);
    expect(sum(grown)).toBeCloseTo(18_000, -1);
    const again = levels.map((one, index) => ({ ...one, sliceMs: grown[index] ?? 0 }));
    expect(sum(divide(again, noBudget))).toBeCloseTo(8000, -1);
    // Nor do they get shorter from round to round.
    let slices = divide(levels, noBudget);
    for (let round = 0; round < 5; round++)
      slices = divide(
        levels.map((one, index) => ({ ...one, sliceMs: slices[index] ?? 0 })),
        noBudget,
      );
    expect(sum(slices)).toBeCloseTo(8000, -1);
  });

  it('stays where the noise of a level is not known', () => {
    expect(divide([{ ...level(25, 10), spread: null }, level(1, 10)])[0]).toBe(4000);
  });

  it('trusts what rounds show between starts the more, the more rounds there are', () => {
    const betweenAfter = (df: number): number => {
      const noisy = level(25, 10, 6);
      const spread = { ...(noisy.spread as LevelSpread), between: { variance: 0.06 ** 2, df } };
      return divideTime({
        levels: [{ ...noisy, spread }],
        besideMs: 30_000,
        costPerMs: 5.3,
        leftMs: 490_000,
        roundsDone: 2,
        mostRounds: 40,
      }).map(({ between }) => between)[0] as number;
    };
    expect(betweenAfter(4)).toBeGreaterThan(0.02 ** 2);
    expect(betweenAfter(40)).toBeGreaterThan(betweenAfter(4));
    expect(betweenAfter(40)).toBeLessThan(0.06 ** 2);
  });
});

describe('warm-up after the first round', () => {
  const seen = { requests: 3000, growth: 0, perS: 600 };

  it('stays where all arms together grow no more, and doubles at the most where they do', () => {
    expect(warmupAfter(seen, [20_000]).requests).toBe(3000);
    expect(warmupAfter({ ...seen, growth: -0.3 }, [20_000]).requests).toBe(3000);
    expect(warmupAfter({ ...seen, growth: 0.15 }, [30_000]).requests).toBe(4500);
    expect(warmupAfter({ ...seen, growth: 0.9 }, [60_000]).requests).toBe(6000);
    expect(warmupAfter({ ...seen, growth: null }, [60_000]).requests).toBe(6000);
  });

  it('is what the slowest arm serves in a part of its slices, but not under what a start needs', () => {
    expect(warmupAfter({ ...seen, growth: 0.09 }, [12_000]).requests).toBe(Math.round(600 * 0.3 * 12));
    expect(warmupAfter(seen, [2000]).requests).toBe(1000);
    expect(warmupAfter({ ...seen, requests: 700, perS: 100 }, [2000]).requests).toBe(700);
  });

  it('takes as long as a slice where arms are still cold: the first would show how they warm up', () => {
    expect(warmupAfter({ ...seen, growth: 0.59 }, [5000]).requests).toBe(600 * 5);
    expect(warmupAfter({ ...seen, growth: 0.59 }, [8000]).requests).toBe(600 * 8);
    expect(warmupAfter({ ...seen, growth: 0.15 }, [8000]).requests).toBe(600 * 4);
    expect(warmupAfter({ ...seen, growth: 0.59 }, [2000, 8000]).requests).toBe(600 * 5);
    expect(warmupAfter({ ...seen, growth: 0.59 }, [5000, 2000, 2000]).requests).toBe(600 * 3);
    expect(warmupAfter({ ...seen, growth: 0.15 }, [5000, 2000, 2000]).requests).toBe(Math.round(600 * 0.3 * 9));
  });

  it('waits for no arm longer than twice what the slowest took', () => {
    expect(warmupAfter(seen, [20_000]).mostMs).toBeCloseTo(2 * (3000 / 600) * 1000);
  });

  it('is a time where nothing is answered', () => {
    expect(warmupAfter({ requests: 0, growth: null, perS: 0 }, [10_000])).toEqual({ requests: null, mostMs: 3000 });
  });
});

describe('warm-up after later rounds', () => {
  const warmup = { workload: 'get-documents', requests: 3000, mostMs: 4000 } as const;
  const trendOf = (slopes: readonly number[]) => {
    const growth = sum(slopes) / slopes.length;
    const squares = sum(slopes.map((slope) => (slope - growth) ** 2));
    return { passes: slopes.length, growth, squares, sliceRequests: 3000, perS: 1500 };
  };
  const lengthened = (slopes: readonly number[], mostMs = Number.POSITIVE_INFINITY) =>
    longerWarmup(warmup, trendOf(slopes), mostMs);

  it('gets longer by a slice where the rate of all arms grows by 44 %, as noisy as it was seen', () => {
    expect(lengthened([0.38, 0.31, 0.4])).toEqual({ workload: 'get-documents', requests: 6000, mostMs: 8000 });
    // One pass is one throw of the machine.
    expect(lengthened([0.38])).toBeNull();
  });

  it('stays where rates are level, fall, or move no more than the machine does', () => {
    expect(lengthened([0.02, 0.02, 0.02, 0.02, 0.02, 0.02])).toBeNull();
    expect(lengthened([-0.4, -0.4, -0.4, -0.4])).toBeNull();
    // The passes of recorded default sweeps, with 25 connections and with 50.
    expect(lengthened([-0.07, 0.12, 0, 0.41, 0.11, 0.14, 0.16])).toBeNull();
    expect(lengthened([0.18, 0.35, 0.08, 0.04, -0.18, 0.51, 0.1])).toBeNull();
    expect(lengthened([0.23, 0.08, -0.16, 0.09, -0.66, -0.17, -0.88])).toBeNull();
  });

  it('gets no longer than there is room for, and not at all where that is little', () => {
    expect(lengthened([0.38, 0.31, 0.4], 1000)?.requests).toBe(4500);
    expect(lengthened([0.38, 0.31, 0.4], 400)).toBeNull();
    expect(lengthened([0.38, 0.31, 0.4], -400)).toBeNull();
  });

  it('that the scenario names as a time stays', () => {
    expect(longerWarmup({ requests: null, mostMs: 500 }, trendOf([0.4, 0.4, 0.4, 0.4]), 1e6)).toBeNull();
  });

  it('gets longer by chance in few runs, and in nearly all where it should', () => {
    const random = createRandom('level');
    const runs = 1000;
    const share = (rise: number, noise: number): number => {
      let found = 0;
      for (let run = 0; run < runs; run++) {
        const slopes = Array.from({ length: 8 }, () => rise + noise * normal(random));
        if (slopes.some((_, last) => lengthened(slopes.slice(0, last + 1)) !== null)) found++;
      }
      return found / runs;
    };
    expect(share(0, 0.15)).toBeLessThan(0.02);
    expect(share(0, 0.4)).toBeLessThan(0.12);
    expect(share(0.365, 0.15)).toBeGreaterThan(0.98);
  });
});

describe('the slices of a first round', () => {
  const scenario = (load: string, budget = '10m') =>
    withFirstSlices(
      parseScenario(
        `title: x\ntarget: { service: documents }\nsweep: { pool: { env: POOL_MAX, levels: [10, 25, 35, 50] } }\ncontrol: { pool: 10 }\nload: { ${load}, workload: upsert-schools }\nrounds: { budget: ${budget} }\n`,
        'x.yaml',
      ),
    );

  it('let six rounds fit into the budget', () => {
    const fitted = scenario('connections: [1, 25, 50]');
    expect(estimate(fitted).rounds).toBe(6);
    expect(fitted.load.sliceMs).toBeGreaterThan(3000);
    expect(scenario('connections: [1, 25, 50]', '5m').load.sliceMs).toBe(2000);
    expect(scenario('connections: [1, 25, 50]', '60m').load.sliceMs).toBe(5000);
  });

  it('are shorter where arms are switched live, whose starts cost little', () => {
    const live = (budget: string, load = ''): number =>
      withFirstSlices(
        parseScenario(
          `title: x\ntarget: { command: node s.js }\nsweep: { p: { live: { request: { path: '/p?\${level}' } }, levels: [1, 2] } }\ncontrol: { p: 1 }\nload: { connections: [1, 25, 50]${load}, requests: [{ path: / }] }\nrounds: { budget: ${budget} }\n`,
          'x.yaml',
        ),
      ).load.sliceMs;
    expect(live('60m')).toBe(2000);
    expect(live('1m')).toBe(1000);
    expect(live('1m', ', slice: 7s')).toBe(7000);
  });

  it('are the scenario’s own where it names them', () => {
    expect(scenario('connections: [1, 25, 50], slice: 7s').load.sliceMs).toBe(7000);
  });

  it('have a few turns at any latency that turns are made for', () => {
    expect(leastSliceMs({}, 1)).toBe(2000);
    expect(leastSliceMs({}, 100)).toBe(3000);
    expect(leastSliceMs({ turn: 1000 }, 1)).toBe(6000);
    expect(leastSliceMs({ turn: 'off' }, 100)).toBe(2000);
    expect(leastSliceMs({ settleMs: 100 }, 1)).toBe(1000);
    expect(leastSliceMs({ settleMs: 500 }, 1)).toBe(3000);
    expect(leastSliceMs({ settleMs: 100 }, 2000)).toBe(15_000);
  });

  it('have room for a second request of each connection, however slow its answers', () => {
    for (const turn of ['auto', 'off'] as const) {
      for (const latencyMs of [2000, 6000, 10_000]) {
        const sliceMs = leastSliceMs({ turn }, latencyMs);
        const { fromMs, toMs } = countedPart(sliceMs, {
          dropMs: sliceMs / 10,
          latencyMs,
          drainMs: latencyMs,
          clients: 4,
        });
        expect(sliceMs).toBe(2 * latencyMs);
        expect(fromMs).toBeLessThan(latencyMs);
        expect(toMs).toBeGreaterThan(1.5 * latencyMs);
      }
    }
    const { load } = scenario('connections: [4]');
    const [level = { connections: 4 }] = load.levels;
    const schedule = createTurnSchedule({ load, variants: [] }, 3);
    schedule.choose(level, { latencyMs: 6000, drainMs: 6000 });
    expect(schedule.of(level)).toMatchObject({ turnMs: 12_000, turnsPerArm: 1, wholeSlices: 'latency' });
    schedule.useWholeSlices(level, 'memory');
    expect(schedule.sliceMs(level)).toBe(12_000);
  });
});

it('there is room for rounds as long as their shortest slices fit', () => {
  const time: TimeToDivide = {
    levels: [{ ...level(25, 5), leastMs: 12_000 }],
    besideMs: 45_000,
    costPerMs: 6,
    leftMs: 480_000,
    roundsDone: 1,
    mostRounds: 40,
  };
  // 117 s a round.
  expect([4, 5].map((rounds) => hasRoomFor(time, rounds))).toEqual([true, false]);
  const shorter = { ...time, levels: [{ ...level(25, 5), leastMs: 8000 }] };
  expect([5, 6].map((rounds) => hasRoomFor(shorter, rounds))).toEqual([true, true]);
  expect(hasRoomFor({ ...time, leftMs: Number.POSITIVE_INFINITY }, 40)).toBe(true);
});

describe('the first round of a slow service', () => {
  const slow = { startMs: 11_200, cpuMs: 200, stopMs: 50, cores: 2, latencyMs: 400 };
  const asked = (keys: string) =>
    parseScenario(
      `title: x\ntarget: { command: node s.js, database: none }\nsweep: { pool: { env: POOL_MAX, levels: [5, 10, 20, 40] } }\ncontrol: { pool: 10 }\nload: { connections: [8, 25], requests: [{ path: / }] }\n${keys}`,
      'x.yaml',
    );

  it('is so short that the budget has room for the rounds that the question needs', () => {
    const best = withFirstSlices(asked('question: best\n'));
    const usual = estimate(best, 'embedded', slow);
    expect(usual.rounds).toBeLessThan(5);
    const first = planRun(best, { kind: 'embedded', costs: slow });
    expect(first.short).toMatchObject({ rounds: first.estimate.rounds, turns: first.fewestTurns, usualTurns: 6 });
    expect(first.estimate.rounds).toBeGreaterThanOrEqual(5);
    expect(first.estimate.totalMs).toBeLessThanOrEqual(600_000);
    // Slices have fewer turns first, and a warm-up is shortened only where that is not enough.
    expect(first.fewestTurns).toBeLessThan(6);
    expect(first.scenario.load.warmupMs).toBe(best.load.warmupMs);
    const cramped = { ...best, rounds: { ...best.rounds, budgetMs: 460_000 } };
    const { scenario, fewestTurns } = planRun(cramped, { kind: 'embedded', costs: slow });
    expect(fewestTurns).toBe(2);
    expect(scenario.load.warmupMs).toBeLessThan(best.load.warmupMs);
    // Verdicts on changes need a round less.
    const changes = planRun(withFirstSlices(asked('question: changes\n')), { kind: 'embedded', costs: slow });
    expect(changes.fewestTurns).toBeGreaterThan(first.fewestTurns);
    expect(changes.estimate.rounds).toBe(4);
  });

  it('is as usual where that is enough, and where the scenario names the slices', () => {
    const best = withFirstSlices(asked('question: best\n'));
    const fast = planRun(best, { kind: 'embedded', costs: { ...slow, startMs: 1000, latencyMs: 5 } });
    expect(fast).toMatchObject({ short: null, fewestTurns: 6, scenario: { load: best.load } });
    const { autoSlice: _, ...load } = best.load;
    const named = { ...best, load };
    expect(planRun(named, { kind: 'embedded', costs: slow })).toMatchObject({ short: null, fewestTurns: 6 });
  });

  it('has a budget that is judged by it: the warning names what would be enough', () => {
    const best = withFirstSlices(asked('question: best\nrounds: { budget: 330s }\n'));
    const known = { kind: 'embedded', costs: slow } as const;
    const { found, advice } = examineBudget(best, planRun(best, known).estimate, false, known);
    expect(found).toMatch(
      /^about \d rounds in .* of a budget of 5 min 30 s: verdicts need 4 rounds, a decision needs 5$/,
    );
    expect(advice).toMatch(/^Enough would be --budget 8m, or 2 variants fewer, or load\.connections: \[25\]\.$/);
  });
});
