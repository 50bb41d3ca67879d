import { describe, expect, test } from 'vitest';
import { saturationOf } from '../../../src/judge/explain/saturation.ts';
import { isPoolTaken, sizeShown } from '../../../src/judge/explain/shared-connection.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

type Values = Readonly<Record<string, number>>;

/** Four connections that always work, for which requests wait, on a machine with room. */
const taken: Values = {
  postgres_cpu_cores: 0.3,
  machine_cpu_share: 0.4,
  event_loop_active_seconds_per_s: 0.2,
  service_busiest_thread_cores: 0.2,
  pg_pool_max_mean: 4,
  pg_pool_acquire_per_s: 500,
  pg_pool_acquire_mean_ms: 30,
  busy_connections_mean: 4,
  busy_connections_p95: 4,
  idle_in_transaction_mean: 0.1,
  lock_wait_share: 0.02,
  io_wait_share: 0.02,
  lwlock_wait_share: 0.02,
};

/** What a run tells whose arms all saw these values, and these wait events. */
function told(changes: Values, options: FixtureOptions = {}) {
  const { findings, saturation } = summarize(
    fixtureJournal({ ...small, rounds: 4, probes: () => ({ 'wait-events': { ...taken, ...changes } }), ...options }),
  );
  return { findings: findings.map(({ name }) => name), uses: saturation[0]?.uses ?? [] };
}

describe('connections that wait inside of Postgres', () => {
  test('are no reason for a larger pool, whatever they wait for, and each for a part of the time', () => {
    expect(told({}).findings).toEqual(['pool-too-small']);
    expect(told({ lwlock_wait_share: 0.6 }).findings).toEqual([]);
    expect(told({ lwlock_wait_share: 0.2, io_wait_share: 0.2, lock_wait_share: 0.2 }).findings).toEqual([]);
  });

  const useOf = (changes: Values, events: Values, resource: string) =>
    told(changes, {
      probeRows: () => ({ 'wait-events': Object.entries(events).map(([event, share]) => ({ event, share })) }),
    }).uses.find((one) => one.resource === resource);

  test('for lightweight locks are named', () => {
    const use = useOf({ lwlock_wait_share: 0.72 }, { 'LWLock:WALInsert': 0.72 }, 'locks');
    expect(use?.text).toBe('lightweight locks (74 % of busy connections wait for one)');
    // Three of four wait for the fourth.
    expect(use?.utilisation).toBeCloseTo(0.987, 3);
    expect(useOf({ lock_wait_share: 0.5, lwlock_wait_share: 0.2 }, {}, 'locks')?.text).toBe(
      'locks (70 % of busy connections wait for one)',
    );
  });

  test('for the log to be written wait for IO', () => {
    const values = { lwlock_wait_share: 0.6, io_wait_share: 0.3 };
    const events = { 'LWLock:WALWrite': 0.4, 'LWLock:BufferMapping': 0.2, 'IO:WALSync': 0.3 };
    expect(useOf(values, events, 'io')).toMatchObject({
      utilisation: expect.closeTo(0.7, 6),
      text: 'IO (70 % of busy connections wait for it)',
    });
    expect(useOf(values, events, 'locks')?.text).toBe('lightweight locks (22 % of busy connections wait for one)');
  });
});

describe('a machine of which the hypervisor takes a part', () => {
  const full = { machine_cpu_share: 0.69, cpu_steal_share: 0.3 };
  const machine = (values: Values, cores?: { own: number; others: number; rest: number }) =>
    saturationOf({ values, cpuCount: 2, generatorUtilisation: null, ...(cores && { cores }) });

  test('is full where it uses what is left, and says so', () => {
    expect(machine(full)).toMatchObject({
      resource: 'machine cpu',
      isLimit: true,
      text: 'all 2 cores 99 % busy (30 % of CPU time was stolen and does not count)',
    });
    expect(machine(full, { own: 0.8, others: 0.4, rest: 0.18 })).toMatchObject({
      isLimit: true,
      text: 'all 2 cores 99 % busy (0.4 by others than the run; 30 % of CPU time was stolen and does not count)',
    });
  });

  test('is not where nothing, or all, was taken', () => {
    expect(machine({ machine_cpu_share: 0.69 })?.text).toBe('all 2 cores 69 % busy');
    expect(machine({ ...full, cpu_steal_share: 0.001 })?.text).toBe('all 2 cores 69 % busy');
    expect(machine({ machine_cpu_share: 0, cpu_steal_share: 1 })?.isLimit).toBe(false);
  });
});

describe('the pool of a worker', () => {
  const worker = { pg_pool_max_mean: 3, pool_taken_mean: 2.9, pool_waiting_mean: 5 };

  test('is taken where its own connections are, however many all workers have', () => {
    expect(isPoolTaken(worker, 12)).toBe(true);
    expect(isPoolTaken({ ...worker, pool_taken_mean: 1 }, 12)).toBe(false);
  });

  test('is waited for though all workers together have far more connections', () => {
    const probes = () => ({
      'service-metrics': {
        pg_pool_max_mean: 10,
        pg_pool_in_use_mean: 9.8,
        pg_pool_waiting_mean: 5,
        event_loop_active_seconds_per_s: 0.2,
      },
      'wait-events': { busy_connections_mean: 1.5, busy_connections_p95: 2, idle_in_transaction_mean: 0.5 },
    });
    const factors = { 'pool=10': { pool: 10 }, 'pool=20': { pool: 20 } };
    const journal = fixtureJournal({
      variants: Object.keys(factors),
      factors,
      control: 'pool=10',
      connections: [50],
      probes,
    });
    const held = {
      type: 'sessions',
      round: 1,
      arm: 'pool=10',
      variant: 'pool=10',
      sessions: 40,
      processes: 4,
    } as const;
    const found = summarize({ ...journal, records: [held, ...journal.records] }).findings.flatMap(({ name, cells }) =>
      cells.flatMap(({ variant, text }) => (variant === 'pool=10' ? [`${name}: ${text}`] : [])),
    );
    expect(found).toEqual([expect.stringMatching(/^pool-waits-while-postgres-idles: 5 requests wait for one of 40 /)]);
  });

  test('is as large as all where the service shows no size, or no limit, and never larger than what can be used', () => {
    const { pg_pool_max_mean: _, ...unknown } = worker;
    expect([worker, unknown, { go_sql_max_open_connections_mean: 0 }, { pg_pool_max_mean: 50 }].map((values) => sizeShown(values, 12))).toEqual([3, 12, 12, 12]); // biome-ignore format: one line
  });
});

test('a service that ends its reads with ROLLBACK has no failures', () => {
  const rolledBack = (errors: number): FixtureOptions => ({
    perRequest: () => ({ xact_commit: 0.5, xact_rollback: 0.5 }),
    probes: () => ({ 'postgres-log': { log_errors: errors } }),
  });
  // Of 2,400 requests a slice half end with ROLLBACK.
  expect(told({}, rolledBack(24)).findings).not.toContain('rollbacks-and-lock-failures');
  expect(told({}, rolledBack(480)).findings).toContain('rollbacks-and-lock-failures');
  expect(told({}, { ...rolledBack(0), probes: () => ({ p: { machine_cpu_share: 0.3 } }) }).findings).toContain(
    'rollbacks-and-lock-failures',
  );
});
