import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import type { CapacitySpec } from '../../../../src/journal/capacity/capacity-spec.ts';
import type { CapacityPoint } from '../../../../src/judge/read/rounds/capacity-points.ts';
import { mean } from '../../../../src/judge/stats/moments.ts';
import { findCapacity, guessOf } from '../../../../src/judge/verdicts/capacity/arm-capacity.ts';
import { decideCapacity, judgeCapacities } from '../../../../src/judge/verdicts/capacity/judge-capacities.ts';
import { testScenario } from '../../../fixtures/scenario.ts';
import { perRound, simulateSession } from '../../../support/capacity-session.ts';
import { capacityOf, normal, p95, type Queue, simulatedUsersP95, usersOf } from '../../../support/queues.ts';
import { simulatedWaitsP95 } from '../../../support/waits.ts';

const spec: CapacitySpec = {
  of: 'connections',
  from: 10,
  to: 1000,
  until: [
    { metric: 'p95_ms', most: 100 },
    { metric: 'failed', most: 0.01 },
  ],
};

const loads = [40, 60, 80, 95, 105, 120, 150];

/** Four rounds at the same loads. */
function points(
  values: (load: number, round: number) => Readonly<Record<string, number>>,
  generatorBusy: (load: number) => boolean = () => false,
): CapacityPoint[] {
  return [1, 2, 3, 4].flatMap((round) =>
    loads.map((load) => ({
      round,
      load,
      wanted: true,
      generatorBusy: generatorBusy(load),
      machineBusy: false,
      answers: 1000,
      values: new Map(generatorBusy(load) ? [] : Object.entries(values(load, round))),
    })),
  );
}

describe('what an arm bears', () => {
  it('is where it reaches its first limit', () => {
    const found = findCapacity({ points: points((load) => ({ p95_ms: load, failed: load > 300 ? 0.1 : 0 })) }, spec);
    expect(found).toMatchObject({ outcome: 'supports', limitedBy: 'p95_ms' });
    expect(Math.exp(found.about)).toBeCloseTo(100, 0);
    const failing = findCapacity({ points: points((load) => ({ p95_ms: load / 3, failed: load / 8000 })) }, spec);
    expect(failing).toMatchObject({ outcome: 'supports', limitedBy: 'failed' });
    expect(Math.exp(failing.about)).toBeCloseTo(80, 0);
  });

  it('is limited by failures where nothing else puts a percentile beyond all measure', () => {
    const limitOf = (from: number, latency = 20) =>
      findCapacity(
        {
          points: points((load) => {
            const refused = load > from ? 0.8 : 0;
            return { p95_ms: refused > 0.05 ? Number.POSITIVE_INFINITY : (load * latency) / 20, failed: refused };
          }),
        },
        spec,
      );
    expect(limitOf(98)).toMatchObject({ outcome: 'supports', limitedBy: 'failed' });
    expect(limitOf(10)).toMatchObject({ outcome: 'below', limitedBy: 'failed' });
    // Slow before it refuses load.
    expect(limitOf(140, 30)).toMatchObject({ outcome: 'supports', limitedBy: 'p95_ms' });
    // With less load too few answers show the percentile, and nothing fails: it is not said to break that limit there.
    const shown = points((load) => (load > 98 ? { p95_ms: Number.POSITIVE_INFINITY, failed: 0.8 } : { failed: 0 }));
    expect(findCapacity({ points: shown }, spec)).toMatchObject({ outcome: 'below', limitedBy: 'p95_ms' });
    const unasked = { ...spec, until: spec.until.slice(0, 1) };
    const failing = points((load) => ({ p95_ms: load > 98 ? Number.POSITIVE_INFINITY : load / 3 }));
    expect(findCapacity({ points: failing }, unasked).limitedBy).toBe('p95_ms');
  });

  it('is not said where all limits are kept, or one is broken from the beginning', () => {
    const kept = findCapacity({ points: points((load) => ({ p95_ms: load / 3, failed: 0 })) }, { ...spec, to: 150 });
    expect(kept).toMatchObject({ outcome: 'not-reached', limitedBy: null });
    const broken = findCapacity({ points: points((load) => ({ p95_ms: 100 + load, failed: 0 })) }, spec);
    expect(broken).toMatchObject({ outcome: 'below', limitedBy: 'p95_ms' });
    expect(findCapacity({ points: points(() => ({})) }, spec)).toMatchObject({ outcome: 'not-measured' });
  });

  it('is said only of loads that show the limit, and the next levels look beyond them', () => {
    const shownFrom = points(
      (load): Readonly<Record<string, number>> => (load < 80 ? { failed: 0 } : { p95_ms: 100 + load, failed: 0 }),
    );
    const below = findCapacity({ points: shownFrom }, { ...spec, from: 40 });
    expect(below).toMatchObject({ outcome: 'below', limitedBy: 'p95_ms' });
    expect(Math.exp(below.about)).toBeCloseTo(80);
    expect(guessOf('a', below, { ...spec, from: 40 }).width).toBeGreaterThan(0);

    const shownTo = points(
      (load): Readonly<Record<string, number>> => (load > 105 ? { failed: 0 } : { p95_ms: load / 3, failed: 0 }),
    );
    const range = { ...spec, to: 150 };
    const above = findCapacity({ points: shownTo }, range);
    // With more load nothing says that the limits are kept.
    expect(above.outcome).toBe('not-measured');
    expect(Math.exp(above.about)).toBeCloseTo(105);
    expect(guessOf('a', above, range).width).toBeGreaterThan(0);
    // A limit that no slice shows is not kept.
    expect(findCapacity({ points: points(() => ({ failed: 0 })) }, range).outcome).toBe('not-measured');
  });

  it('is unstable where rounds tell loads far apart', () => {
    const moods = [0.5, 1, 1.6, 0.7, 1.2];
    const found = findCapacity(
      { points: points((load, round) => ({ p95_ms: load * (moods[round] ?? 1), failed: 0 })) },
      spec,
    );
    expect(found.outcome).toBe('unstable');
  });

  it("is the generator's where that could not keep up before any limit", () => {
    const found = findCapacity(
      {
        points: points(
          (load) => ({ p95_ms: load / 3, failed: 0 }),
          (load) => load > 100,
        ),
      },
      spec,
    );
    expect(found).toMatchObject({ outcome: 'generator', limitedBy: null });
    expect(Math.exp(found.about)).toBeCloseTo(95);
    expect(guessOf('a', found, spec).width).toBeGreaterThan(0);
  });

  it('has the next levels near it, the nearer the steeper it is', () => {
    const flat = findCapacity({ points: points((load) => ({ p95_ms: load })) }, spec);
    const steep = findCapacity({ points: points((load) => ({ p95_ms: 100 * (load / 100) ** 8 })) }, spec);
    expect(guessOf('a', steep, spec).width).toBeLessThan(guessOf('a', flat, spec).width);
    expect(guessOf('a', steep, spec).size).toBeCloseTo(100, 0);
  });
});

const queue: Queue = { workers: 4, meanMs: 10 };
const limit = p95(queue, { rate: 340 });
/** Of ln speed in a round, and of an arm in it; and of ln p95 of a slice of 5 s, as a queue of that size has it. */
const noise = { round: 0.03, arm: 0.02, slice: 0.12 };

function faster(logSpeed: number): Queue {
  return { ...queue, meanMs: queue.meanMs * Math.exp(-logSpeed) };
}

/** Sessions on an M/M/c queue whose p95 is as theory has it, but for noise. */
function sessions(count: number, effect: number) {
  return Array.from({ length: count }, (_, session) => {
    const random = createRandom(`session ${session}`);
    const shared = perRound(random, normal);
    const own = perRound(random, normal);
    return simulateSession({
      range: { of: 'rate', from: 20, to: 2000 },
      limit,
      variants: ['variant'],
      mostRounds: 10,
      sliceS: 5,
      measure(arm, round, load) {
        const slow = faster(noise.round * shared(0, round) + noise.arm * own(arm, round) + (arm === 2 ? effect : 0));
        const most = (1000 * slow.workers) / slow.meanMs;
        // Beyond saturation the queue grows for as long as it is looked at.
        const value = load < 0.995 * most ? p95(slow, { rate: load }) : 2000 * (load / most);
        return value * Math.exp(noise.slice * normal(random));
      },
    }).judged;
  });
}

describe('a session that looks for capacities', () => {
  const many = sessions(60, 0);
  const found = many.flatMap(({ arms }) => arms);
  const truth = Math.exp(
    mean(
      Array.from({ length: 400 }, (_, i) => {
        const random = createRandom(i);
        return Math.log(capacityOf(faster(Math.hypot(noise.round, noise.arm) * normal(random)), 'rate', limit));
      }),
    ),
  );

  it('has intervals that hold the truth', () => {
    expect(found.every(({ outcome }) => outcome === 'supports')).toBe(true);
    const held = found.filter(({ interval }) => interval !== null && interval.low <= truth && truth <= interval.high);
    expect(held.length / found.length).toBeGreaterThan(0.93);
  });

  it('is not led astray by levels that follow what it has seen', () => {
    const off = mean(found.map(({ about }) => about - Math.log(truth)));
    // Less than a third of an interval's half.
    expect(Math.abs(off)).toBeLessThan(0.015);
  });

  it('says of the same that it differs in at most 5 of 100', () => {
    const different = many.filter(
      ({ changes: [change] }) => change?.verdict === 'higher' || change?.verdict === 'lower',
    );
    expect(different.length / many.length).toBeLessThanOrEqual(0.05);
  });

  it('sees a variant that is faster by a tenth', () => {
    const higher = sessions(10, Math.log(1.1)).filter(({ changes: [change] }) => change?.verdict === 'higher');
    expect(higher.length).toBeGreaterThan(7);
  });
});

it('a change of capacities is not `same` where the turns of an arm hide waits', () => {
  const changeWith = (hidden: number) => {
    const random = createRandom('hidden');
    const { judged } = simulateSession({
      range: { of: 'connections', from: 10, to: 1000 },
      limit: 100,
      variants: ['variant'],
      mostRounds: 8,
      sliceS: 5,
      measure: (_, __, load) => load * Math.exp(0.01 * normal(random)),
      hiddenShare: (arm) => (arm === 2 ? hidden : 0),
    });
    return judged.changes[0];
  };
  expect(changeWith(0)).toMatchObject({ verdict: 'same', notes: [] });
  const notes = [{ kind: 'outlast-turns', byTurnsPercent: null }];
  expect(changeWith(0.03)).toMatchObject({
    verdict: 'noise',
    interval: [expect.any(Number), expect.any(Number)],
    notes,
  });
});

describe('a session that looks for how many users are sustained', () => {
  const thinkMs = 200;
  const limitMs = 60;
  const sessionsOfUsers = Array.from({ length: 12 }, (_, session) => {
    const random = createRandom(`users ${session}`);
    const shared = perRound(random, normal);
    const own = perRound(random, normal);
    return simulateSession({
      range: { of: 'users', from: 10, to: 2000 },
      limit: limitMs,
      variants: ['variant'],
      mostRounds: 8,
      sliceS: 5,
      measure(arm, round, users, seconds) {
        const logSpeed = noise.round * shared(0, round) + noise.arm * own(arm, round) + (arm === 2 ? Math.log(1.3) : 0);
        return simulatedUsersP95(faster(logSpeed), { users, thinkMs }, seconds, random);
      },
    }).judged;
  });

  it('finds what the machine repair model says, and tells variants apart', () => {
    const [control, variant] = [queue, faster(Math.log(1.3))].map((one) => usersOf(one, thinkMs, limitMs));
    const found = sessionsOfUsers.flatMap(({ arms }) => arms);
    expect(found.every(({ outcome }) => outcome === 'supports')).toBe(true);
    const truthOf = (name: string): number => (name === 'variant' ? variant : control) ?? 0;
    const held = found.filter(
      ({ variant: name, interval }) =>
        interval !== null && interval.low <= truthOf(name) && truthOf(name) <= interval.high,
    );
    // 36 intervals at 95 %.
    expect(held.length).toBeGreaterThanOrEqual(31);
    for (const { supports, variant: name } of found)
      expect(Math.abs(Math.log((supports ?? 0) / truthOf(name)))).toBeLessThan(0.08);
    for (const { changes } of sessionsOfUsers) expect(changes[0]?.verdict).toBe('higher');
  });
});

describe('a session on a service whose answers are steps', () => {
  /** 4 slots of 20 ms for the control and 5 for the variant: 36 and 45 connections have a p95 of 180 ms, one more 200. */
  const slotsOf = (arm: number): number => (arm === 2 ? 5 : 4);
  const noise = { round: 0.003, arm: 0.002 };
  const found = Array.from({ length: 8 }, (_, session) => {
    const random = createRandom(`steps ${session}`);
    const [shared, own] = [perRound(random, normal), perRound(random, normal)];
    return simulateSession({
      range: { of: 'connections', from: 10, to: 1000 },
      limit: 195,
      variants: ['variant'],
      mostRounds: 8,
      sliceS: 2,
      measure(arm, round, clients, seconds) {
        const speed = Math.exp(noise.round * shared(0, round) + noise.arm * own(arm, round));
        const service = { workers: slotsOf(arm), meanMs: 20 / speed, waits: 'fixed' } as const;
        return simulatedWaitsP95(service, { clients, thinkMs: 0 }, seconds, random);
      },
    });
  });

  it('has intervals that hold the last connections that pass, and changes that hold a quarter more', () => {
    for (const { judged } of found) {
      for (const arm of judged.arms) {
        const truth = arm.variant === 'control' ? 36 : 45;
        expect(arm.interval?.low).toBeLessThanOrEqual(truth);
        expect(arm.interval?.high).toBeGreaterThanOrEqual(truth);
        expect(Math.abs(Math.log((arm.supports ?? 0) / truth))).toBeLessThan(0.05);
      }
      const [change] = judged.changes;
      expect(change?.verdict).toBe('higher');
      expect(change?.interval?.[0]).toBeLessThanOrEqual(25);
      expect(change?.interval?.[1]).toBeGreaterThanOrEqual(25);
      expect(judged.repeat?.interval?.[0]).toBeLessThanOrEqual(0);
      expect(judged.repeat?.interval?.[1]).toBeGreaterThanOrEqual(0);
    }
  });

  it('looks between the last load that passed and the first that failed', () => {
    const byPair = [28, 35, 42, 52].map((load) => ({ load, p95: 20.1 * Math.ceil(load / 4) }));
    const points = [1, 2].flatMap((round) =>
      byPair.map(({ load, p95: value }) => ({
        round,
        load,
        wanted: true,
        generatorBusy: false,
        machineBusy: false,
        answers: 1000,
        values: new Map([['p95_ms', value]]),
      })),
    );
    const search = { ...spec, until: [{ metric: 'p95_ms', most: 200 }] };
    const { size, width } = guessOf('a', findCapacity({ points }, search), search);
    expect(size * Math.exp(-width)).toBeCloseTo(35, 5);
    expect(size * Math.exp(width)).toBeCloseTo(42, 5);
  });

  it('is no longer open where neighbouring connections are the ends of every interval', () => {
    const exact = Array.from({ length: 6 }, (_, round) => round + 1).flatMap((round) =>
      [7, 8, 9, 10].map((load) => ({
        round,
        load,
        wanted: true,
        generatorBusy: false,
        machineBusy: false,
        answers: 1000,
        values: new Map([['p95_ms', load <= 8 ? 90 : 110]]),
      })),
    );
    const judged = judgedAs(exact, { ...spec, until: [{ metric: 'p95_ms', most: 100 }] });
    expect(judged?.arms.map(({ interval }) => interval)).toEqual([
      { low: 8, high: 9 },
      { low: 8, high: 9 },
    ]);
    // One connection is more than the margin, so this is not `same`: but more rounds would not change it.
    expect(judged && decideCapacity(judged, 5).open).toBe(0);
  });

  it('is no longer open where slices at the end of the range have too few answers, as more of them would', () => {
    const upTo = (most: number, known: number): CapacityPoint[] =>
      points((load) => ({ failed: 0, ...(load <= known && { p95_ms: 50 }) })).filter(({ load }) => load <= most);
    const openAt = (own: CapacityPoint[]) => {
      const judged = judgedAs(own, { ...spec, to: 150 });
      expect(judged?.arms.map(({ outcome }) => outcome)).toEqual(['not-measured', 'not-measured']);
      return judged && decideCapacity(judged, 5).open;
    };
    expect(openAt(upTo(120, 105))).toBe(2);
    expect(openAt(upTo(150, 105))).toBe(0);
  });
});

/** Six rounds of a control alone, both of whose arms have these points. */
function judgedAs(points: readonly CapacityPoint[], capacity: CapacitySpec) {
  const arm = (repeat: boolean) => ({ variant: 'control', repeat, points, hiddenShare: 0 });
  const scenario = testScenario();
  return judgeCapacities({
    scenario: {
      ...scenario,
      control: 'control',
      variants: [{ name: 'control', factors: {}, env: {} }],
      load: { ...scenario.load, levels: [], capacity },
    },
    quick: false,
    rounds: [1, 2, 3, 4, 5, 6],
    course: { rounds: 6, ends: [] },
    capacity: [arm(false), arm(true)],
  });
}
