import { describe, expect, it } from 'vitest';
import type { LoadSpec } from '../../../src/journal/scenario-record.ts';
import { armsOf } from '../../../src/measure/plan/arms.ts';
import { estimate, timeOfRounds } from '../../../src/measure/plan/estimate.ts';
import { quickScenario } from '../../../src/measure/plan/quick.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { testScenario } from '../../fixtures/scenario.ts';

it('the control runs twice, first, and every other variant once', () => {
  expect(armsOf(testScenario()).map(({ name }) => name)).toEqual([
    'pool=10',
    'pool=10 (A/A)',
    'pool=25',
    'pool=35',
    'pool=50',
  ]);
});

it('the estimate counts what a round does', () => {
  const plan = estimate(testScenario());
  expect(plan).toMatchObject({ arms: 5, cells: 12, slicesPerRound: 15 });
  expect(plan.roundMs).toBeGreaterThan(15 * 4000 + 5 * 3000);
  expect(timeOfRounds(plan, plan.rounds)).toBeLessThanOrEqual(600_000);
  expect(timeOfRounds(plan, plan.rounds + 1)).toBeGreaterThan(600_000);
  expect(plan.firstRoundMs).toBeGreaterThan(plan.roundMs);
  expect(plan.totalMs).toBeLessThanOrEqual(600_000);
});

it('every instance of a service takes its time to start', () => {
  const one = testScenario();
  const four = { ...one, variants: one.variants.map((variant) => ({ ...variant, instances: 4 })) };
  const each = (estimate(four).roundMs - estimate(one).roundMs) / (5 * 3);
  expect(each).toBeGreaterThan(0);
  const live = { settings: [], indexes: [], sql: [], reconnect: false, requests: [], checks: [] };
  const shared = (scenario: typeof one) => ({
    ...scenario,
    variants: scenario.variants.map((variant) => ({ ...variant, live })),
  });
  // Switched live, all arms are the same processes.
  expect(estimate(shared(four)).roundMs - estimate(shared(one)).roundMs).toBeCloseTo(3 * each, 6);
});

it('a k6 takes its time to start, in every slice and for the warm-up', () => {
  const { load } = testScenario();
  const roundMs = (of: 'users' | 'vus') =>
    estimate(testScenario({ load: { ...load, levels: [1, 5, 25].map((users) => ({ users, of })) } })).roundMs;
  const startsMs = roundMs('vus') - roundMs('users');
  // Five arms, each under three levels and three times for the warm-up.
  expect(startsMs / (5 * (3 + 3))).toBeCloseTo(700, 6);
});

it('OpenSearch takes longer to set up, and nothing in a round', () => {
  const { stack } = testScenario();
  const [without, plan] = [estimate(testScenario()), estimate(testScenario({ stack: { ...stack, opensearch: true } }))];
  expect(plan.setUpMs).toBeGreaterThan(without.setUpMs + 5000);
  expect(plan.roundMs).toBe(without.roundMs);
});

it('containers take longer to start, and a server that already runs nothing', () => {
  const { rounds, stack } = testScenario();
  const restarting = testScenario({ rounds: { ...rounds, restart: 'server' }, stack: { ...stack, opensearch: true } });
  const [embedded, docker] = [estimate(restarting, 'embedded'), estimate(restarting, 'docker')];
  expect(docker.setUpMs).toBeGreaterThan(embedded.setUpMs);
  expect(docker.roundMs).toBeGreaterThan(embedded.roundMs);
  const [own, external] = [estimate(testScenario()), estimate(testScenario(), 'external')];
  expect(external.setUpMs).toBeLessThan(own.setUpMs);
  expect(external.roundMs).toBe(own.roundMs);
});

it('a service that somebody else runs costs no start', () => {
  const started = estimate(testScenario());
  const url = estimate(testScenario({ target: { kind: 'url', url: 'http://127.0.0.1:1' } }));
  expect(url.roundMs).toBeLessThan(started.roundMs);
});

it('a quick run is one round that fits into 90 s, and counts at least half of each slice', () => {
  const quick = quickScenario(testScenario());
  const plan = estimate(quick);
  expect(plan.rounds).toBe(1);
  expect(plan.totalMs).toBeLessThan(75_000);
  expect(quick.load.dropMs).toBeLessThanOrEqual(quick.load.sliceMs / 2);
});

it('a quick run of so many requests sends a few of them, which shows that it works', () => {
  const scenario = testScenario();
  const bounded = { count: 900, limitMs: 120_000 };
  const quick = quickScenario({ ...scenario, load: { ...scenario.load, bounded } });
  expect(quick.load.bounded).toEqual({ count: 100, limitMs: 10_000 });
});

it('a variant that needs a server of its own makes every round start one for each arm', () => {
  const plan = (settings: string, more = ''): ReturnType<typeof estimate> =>
    estimate(
      parseScenario(
        `title: settings
target: { service: documents }
variants: { Control: {}, Other: { settings: { ${settings} } }${more} }
control: Control
load: { connections: 1, workload: upsert-schools }
`,
        'test.yaml',
      ),
    );
  const ofDatabase = plan('work_mem: 8MB');
  const ofKind = (stack: string) => plan('work_mem: 8MB', `, Third: { postgres: { stack: ${stack} } }`);
  expect(ofKind('docker').roundMs).toBeGreaterThan(ofKind('embedded').roundMs);
  const releases = ', Third: { postgres: { version: 15 } }, Fourth: { postgres: { version: 15 } }';
  expect(plan('work_mem: 8MB', releases).serversPerRound).toBe(5);
  const ofServer = plan('work_mem: 8MB, shared_buffers: 1GB');
  expect(ofDatabase.serversPerRound).toBe(0);
  // The control has two.
  expect(ofServer.serversPerRound).toBe(3);
  expect(ofServer.roundMs).toBeGreaterThan(ofDatabase.roundMs);
  expect(ofServer.setUpMs).toBeGreaterThan(ofDatabase.setUpMs);
});

describe('a search for capacities', () => {
  const { load, variants } = testScenario();
  const planned = (count: number, changes: Partial<LoadSpec> = {}) =>
    estimate(
      testScenario({
        load: { ...load, levels: [], sliceMs: 5000, capacity: { of: 'rate', from: 20, to: 2000, until }, ...changes },
        variants: variants.slice(0, count),
      }),
    );
  const until = [{ metric: 'p95_ms', most: 100 }];
  const byClients = (from: number, to: number, most: number) =>
    planned(2, { capacity: { of: 'connections', from, to, until: [{ metric: 'p95_ms', most }] } });
  const { roundMs: timesOf, firstRoundMs: firstOf } = planned(2).bounds ?? { roundMs: [0, 0], firstRoundMs: [0, 0] };

  it('is expected to have levels for each limit, and takes longer in its first round, by limits that it does not know', () => {
    const [one, two] = [planned(1), planned(2)];
    expect(one.passesPerRound).toBeLessThan(two.passesPerRound);
    expect(two.slicesPerRound).toBe(3 * two.passesPerRound);
    const [least, most] = timesOf;
    expect(least).toBeLessThan(two.roundMs);
    expect(most).toBeGreaterThan(two.roundMs);
    expect(firstOf[0]).toBeGreaterThan(least);
    expect(firstOf[1]).toBeGreaterThan(most);
  });

  it('holds what rounds took on a busy machine: 8 ms of work in places of 2 and of 6, or of 5 and of 6', () => {
    // By rate, and of a service with Postgres by connections; in s.
    const taken = [
      [planned(2), [220.6, 205.7, 193.3, 341.9], [193.4, 189.2, 163.4, 178.2, 185]],
      [byClients(2, 200, 100), [267.2, 246.1], [217.1]],
    ] as const;
    for (const [{ bounds }, first, later] of taken) {
      const isWithin = (s: number, [least, most]: readonly [number, number] = [0, 0]) => {
        expect(1000 * s).toBeGreaterThan(least);
        expect(1000 * s).toBeLessThan(most);
      };
      for (const s of first) isWithin(s, bounds?.firstRoundMs);
      for (const s of later) isWithin(s, bounds?.roundMs);
    }
  });

  it('waits for what piles up until it times out', () => {
    const mostMs = (changes: Partial<LoadSpec>) => planned(2, changes).bounds?.firstRoundMs[1] ?? 0;
    expect(mostMs({ timeoutMs: 1000 })).toBeLessThan(mostMs({ timeoutMs: 10_000 }));
    const few = { openLoop: { arrivals: 'constant', inFlight: 1 } } as const;
    expect(mostMs({ timeoutMs: 10_000, ...few })).toBeLessThan(mostMs({ timeoutMs: 1000 }));
  });

  it('of clients who wait for their answers takes as long as these do', () => {
    expect(byClients(10, 1000, 2000).roundMs).toBeGreaterThan(byClients(10, 1000, 20).roundMs);
  });

  it('may wait for all its answers until they time out, where no limit is a latency', () => {
    const of = (timeoutMs: number) =>
      planned(2, {
        timeoutMs,
        capacity: { of: 'connections', from: 10, to: 1000, until: [{ metric: 'failed', most: 0.01 }] },
      });
    const [short, long] = [of(1000), of(10_000)];
    const moreMs = (long.bounds?.roundMs[1] ?? 0) - (short.bounds?.roundMs[1] ?? 0);
    // Three arms, each at four levels at least.
    expect(moreMs).toBeGreaterThan(3 * 4 * 0.5 * 9000);
    expect(long.roundMs).toBe(short.roundMs);
  });

  it('is all that has bounds', () => {
    expect(estimate(testScenario()).bounds).toBeUndefined();
  });
});
