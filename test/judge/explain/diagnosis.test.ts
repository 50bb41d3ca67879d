import { describe, expect, test } from 'vitest';
import { createRandom, seedOf } from '../../../src/base/random.ts';
import type { PoolerMode, PoolerSpec } from '../../../src/journal/link/pooler.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import type { DiagnosisFinding } from '../../../src/judge/explain/cross-check.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { type FixtureCell, type FixtureOptions, fixtureJournal, normal } from '../journal-fixture.ts';
import { aloneJob, besideJob } from '../kinds-of-load.ts';
import { small } from '../small-run.ts';

/** A service at half its capacity. */
const healthy = {
  service_cpu_cores: 0.7,
  service_busiest_thread_cores: 0.65,
  postgres_cpu_cores: 0.8,
  machine_cpu_share: 0.8,
  event_loop_active_seconds_per_s: 0.7,
  pg_pool_max_mean: 25,
  pg_pool_acquire_per_s: 500,
  pg_pool_acquire_mean_ms: 0.05,
  connections_mean: 25,
  busy_connections_mean: 14,
  busy_connections_p95: 22,
  idle_in_transaction_mean: 3,
  client_wait_share: 0.2,
  lock_wait_share: 0.02,
  io_wait_share: 0.02,
  block_read_share: 0.004,
  log_transaction_open: 0,
  log_no_transaction: 0,
};

/** Every value differs by a tenth from slice to slice. */
function noisy(values: Readonly<Record<string, number>>, cell: FixtureCell): Record<string, number> {
  const random = createRandom(seedOf(7, cell.variant, cell.round, cell.repeat ? 1 : 0));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value * Math.exp(0.1 * normal(random))]),
  );
}

/** Findings of a run in which variant b saw something else than the healthy service. */
function findings(changes: Readonly<Record<string, number>>, options: FixtureOptions = {}): DiagnosisFinding[] {
  const probes: FixtureOptions['probes'] = (cell) => ({
    all: noisy({ ...healthy, ...(cell.variant === 'b' ? changes : {}) }, cell),
  });
  return [...summarize(fixtureJournal({ ...small, rounds: 8, probes, ...options })).findings];
}

function names(...asked: Parameters<typeof findings>): string[] {
  return findings(...asked).map(({ name, cells }) => `${name}: ${cells.map(({ variant }) => variant).join()}`);
}

describe('cross-checks', () => {
  test('say nothing of a healthy service, in 20 runs of noise', () => {
    for (let seed = 0; seed < 20; seed++) expect(names({}, { seed })).toEqual([]);
  });

  test('say nothing without probes, whatever the counters say', () => {
    const options: FixtureOptions = { probes: () => ({}), perRequest: () => ({ xact_commit: 1.4 }) };
    expect(names({}, options)).toEqual([]);
  });

  test.each([
    [
      'pool-unused',
      {
        busy_connections_mean: 1.8,
        busy_connections_p95: 2,
        event_loop_active_seconds_per_s: 0.3,
        service_busiest_thread_cores: 0.2,
        machine_cpu_share: 0.3,
        postgres_cpu_cores: 0.2,
        service_cpu_cores: 0.2,
      },
    ],
    [
      'pool-waits-while-postgres-idles',
      {
        pg_pool_acquire_mean_ms: 30,
        busy_connections_mean: 3,
        idle_in_transaction_mean: 1,
        event_loop_active_seconds_per_s: 0.2,
        service_busiest_thread_cores: 0.2,
      },
    ],
    [
      'pool-too-small',
      {
        pg_pool_max_mean: 4,
        pg_pool_acquire_mean_ms: 30,
        busy_connections_mean: 4,
        busy_connections_p95: 4,
        idle_in_transaction_mean: 0.1,
        event_loop_active_seconds_per_s: 0.2,
        service_busiest_thread_cores: 0.2,
        postgres_cpu_cores: 0.3,
      },
    ],
    [
      'event-loop-holds-transactions',
      {
        event_loop_active_seconds_per_s: 1.1,
        service_busiest_thread_cores: 0.99,
        client_wait_share: 0.6,
        idle_in_transaction_mean: 8,
      },
    ],
    ['lock-waits', { lock_wait_share: 0.7 }],
    ['rollbacks-and-lock-failures', { deadlocks: 3 }],
    ['transaction-in-progress', { log_transaction_open: 5 }],
    ['generator-is-the-limit', { generator_busiest_thread_cores: 1.2 }],
  ])('%s is found where it is', (name, changes) => {
    expect(names(changes)).toEqual([`${name}: b`]);
  });

  describe('failures by locks', () => {
    const failing: Readonly<Record<string, Readonly<Record<string, number>>>> = {
      share: { log_deadlocks: 142 },
      nowait: { log_lock_not_available: 52_289 },
      repeatable: { log_serialization_failures: 39_612 },
      read: { log_lock_not_available: 12_000 },
    };
    const row = (sqlstate: string, statement: string) => ({
      severity: 'ERROR',
      sqlstate,
      message: 'x',
      statement,
      count: 9,
    });

    test('are one finding for each kind, with its SQLSTATE and the statement that fails', () => {
      const found = findings(
        {},
        {
          variants: ['a', ...Object.keys(failing)],
          probes: ({ variant }) => ({ all: healthy, 'postgres-log': failing[variant] ?? {} }),
          probeRows: ({ variant }) => ({
            'postgres-log': variant === 'share' ? [row('40P01', 'LOCK TABLE a'), row('42703', 'SELECT no_column')] : [],
          }),
        },
      ).filter(({ name }) => name === 'rollbacks-and-lock-failures');
      const told = found.map(({ text, cells }) => [cells.map(({ variant }) => variant).join(), text]);
      expect(told).toHaveLength(3);
      expect(told).toContainEqual(['share', expect.stringContaining('142 deadlocks (40P01) a slice')]);
      expect(told).toContainEqual(['nowait,read', expect.stringMatching(/"could not obtain lock" \(55P03\) a slice/)]);
      expect(told).toContainEqual(['repeatable', expect.stringContaining('serialization failures (40001) a slice')]);
      const next = found.find(({ cells }) => cells[0]?.variant === 'share')?.next;
      expect(next).toContain('Most often fails: LOCK TABLE a');
    });
  });

  test.each([
    ['Lock:object', /NOTIFY/],
    ['Lock:advisory', /advisory lock/],
    ['Lock:tuple', /row or table/],
  ])('the next step for a wait for %s', (event, next) => {
    const options: FixtureOptions = {
      probes: ({ variant }) => ({ 'wait-events': { ...healthy, lock_wait_share: variant === 'b' ? 0.7 : 0 } }),
      probeRows: () => ({ 'wait-events': [{ event, share: 0.7 }] }),
    };
    const [found] = findings({}, options).filter(({ name }) => name === 'lock-waits');
    expect(found?.next).toMatch(next);
  });

  test('a transaction now and then that is tried again is no finding', () => {
    const rolledBack = (share: number): FixtureOptions => ({
      perRequest: ({ variant }) => ({ xact_commit: 1, xact_rollback: variant === 'b' ? share : 0 }),
    });
    expect(names({}, rolledBack(0.03))).toEqual([]);
    expect(names({}, rolledBack(0.08))).toContain('rollbacks-and-lock-failures: b');
  });

  describe('errors in the log of requests that were answered 2xx', () => {
    /** What variant b's log has of each slice. */
    const logged = (values: Readonly<Record<string, number>>, failed = 0): string[] =>
      findings(
        {},
        {
          probes: (cell) => ({ all: noisy(healthy, cell), ...(cell.variant === 'b' && { 'postgres-log': values }) }),
          probeRows: () => ({
            'postgres-log': [errorRow('42703', 'no such column', 300), errorRow('40P01', 'deadlock', 900)],
          }),
          failures: () => ({ statuses: failed > 0 ? { 409: failed } : {} }),
        },
      ).flatMap(({ name, text }) => (name === 'errors-answered-2xx' ? [text] : []));
    const errorRow = (sqlstate: string, message: string, count: number) => ({
      severity: 'ERROR',
      sqlstate,
      message,
      count,
    });

    test('are named with requests that failed, if there are as many', () => {
      const failing = (failed: number): string[] =>
        findings(
          {},
          {
            probes: (cell) => ({
              all: noisy(healthy, cell),
              ...(cell.variant === 'b' && { 'postgres-log': { log_errors: 0 } }),
            }),
            probeRows: () => ({
              'postgres-log': [errorRow('40P01', 'deadlock detected', 257), errorRow('42703', 'x', 3)],
            }),
            failures: ({ variant }) => (variant === 'b' ? { timeouts: failed } : {}),
          },
        ).flatMap(({ name, text }) => (name === 'failures-logged' ? [text] : []));
      expect(failing(75)).toEqual([
        expect.stringMatching(
          /^b, 25 connections: .* of requests failed \(.*\), and Postgres logged .* x deadlock detected \(40P01\), .* x x \(42703\)\.$/,
        ),
      ]);
      expect(failing(0)).toEqual([]);
      expect(failing(3000)).toEqual([]);
    });

    test('are told, with how many requests failed', () => {
      // Of 480 requests a second in 5 s.
      expect(logged({ log_errors: 480 })).toEqual([
        expect.stringMatching(
          /^b, 25 connections: 20(\.\d)? % of requests logged a Postgres error though answered 2xx \(3,840 errors, 0 of 1\d,\d{3} requests failed\), most often: no such column\.$/,
        ),
      ]);
    });

    test('are none where a request failed for each, where few are, and where services try again', () => {
      expect(logged({ log_errors: 480 }, 390)).toEqual([]);
      expect(logged({ log_errors: 12 })).toEqual([]);
      const again = {
        log_deadlocks: 100,
        log_serialization_failures: 100,
        log_lock_not_available: 100,
        log_lock_timeouts: 100,
        log_transaction_aborted: 80,
      };
      expect(logged({ log_errors: 480, ...again })).toEqual([]);
    });
  });

  test('sessions that are idle in a transaction are found where they are more of the busy ones, too', () => {
    const held = { idle_in_transaction_mean: 9, busy_connections_mean: 16 };
    expect(findings(held)).toMatchObject([
      {
        name: 'idle-in-transaction',
        text: expect.stringMatching(
          /^b, 25 connections: (8|9)(\.\d+)? sessions idle in a transaction at once, control (2|3)(\.\d+)?: each keeps a connection of the pool\.$/,
        ),
      },
    ]);
    // As a real service had them, whose writes lost.
    const pooled = ({ variant }: FixtureCell) => ({
      all: { ...healthy, busy_connections_mean: 6, idle_in_transaction_mean: variant === 'b' ? 2.4 : 0.3 },
    });
    expect(findings({}, { probes: pooled })).toMatchObject([
      {
        name: 'idle-in-transaction',
        text: expect.stringContaining('2.4 sessions idle in a transaction at once, control 0.3: each keeps'),
      },
    ]);
    const waiting: FixtureOptions['probes'] = (cell) => ({ all: { ...pooled(cell).all, lock_wait_share: 0.2 } });
    expect(findings({}, { probes: waiting })).toMatchObject([
      { text: expect.stringContaining('hold their locks meanwhile, and 20 % of busy connections wait for one') },
    ]);
    // As many of all as the control has, of twice as many.
    expect(names({ idle_in_transaction_mean: 9, busy_connections_mean: 40, busy_connections_p95: 50 })).toEqual([]);
    expect(names({ idle_in_transaction_mean: 3.4 })).toEqual([]);
  });

  test('a ROLLBACK after each statement that failed is no finding', () => {
    expect(names({ log_no_transaction: 3, log_errors: 6 })).toEqual([]);
    expect(names({ log_no_transaction: 30, log_errors: 1 })).toEqual(['transaction-in-progress: b']);
  });

  test('an event loop that waits for a full machine is no finding; one that has a core of its own is', () => {
    const shared = {
      event_loop_active_seconds_per_s: 0.95,
      service_busiest_thread_cores: 0.5,
      machine_cpu_share: 0.99,
      client_wait_share: 0.6,
      idle_in_transaction_mean: 8,
    };
    expect(names(shared)).toEqual([]);
    const own = findings({ ...shared, service_busiest_thread_cores: 1.1, event_loop_active_seconds_per_s: 1.1 });
    expect(own).toMatchObject([
      { name: 'event-loop-holds-transactions', next: expect.stringContaining('no CPU left for more processes') },
    ]);
  });

  describe('requests that wait while Postgres idles', () => {
    const leak = {
      pg_pool_waiting_mean: 15,
      busy_connections_mean: 3,
      idle_in_transaction_mean: 1,
      event_loop_active_seconds_per_s: 0.2,
      service_busiest_thread_cores: 0.2,
    };
    const told = (options: FixtureOptions): string[] =>
      findings({}, options)
        .filter(({ name }) => name === 'pool-waits-while-postgres-idles')
        .flatMap(({ cells }) => cells.map(({ variant, load, text }) => `${variant} ${loadSize(load)}: ${text}`));

    test('are told with what the queue was for the control', () => {
      expect(findings(leak)[0]?.text).toMatch(
        /: 1\d(\.\d)? requests wait \(control 0\.0\d\) for one of 2\d(\.\d)? connections, /,
      );
    });

    test('are told with what the queue was with fewer clients', () => {
      const probes: FixtureOptions['probes'] = ({ connections }) => ({
        all: { ...healthy, ...leak, pg_pool_waiting_mean: connections === 5 ? 2 : 15 },
      });
      const seen = told({ probes, connections: [5, 25] }).filter((text) => text.includes(' 25: '));
      expect(seen).toEqual(
        ['a', 'b'].map((name) => expect.stringContaining(`${name} 25: 15 requests wait (2 with 5 clients) for`)),
      );
    });

    test("are told with what the queue was in a round's first slice", () => {
      let slices = 0;
      const probes: FixtureOptions['probes'] = () => ({
        all: { ...healthy, ...leak, pg_pool_waiting_mean: slices++ % 12 },
      });
      const [first = ''] = told({ probes, repeat: false, variants: ['a'], slicesPerRound: 12 });
      expect(first).toContain("requests wait (0.02 in a round's first slice, 11 in its last) for");
    });

    test('are no finding where they come many at once, to a pool that is half empty on average', () => {
      expect(names({ ...leak, pg_pool_in_use_mean: 12 })).toEqual([]);
      expect(names({ ...leak, pg_pool_in_use_mean: 22 })).toEqual(['pool-waits-while-postgres-idles: b']);
    });

    test('are told where the queue has always been there, and as they are', () => {
      const seen = told({ probes: () => ({ all: { ...healthy, ...leak } }), connections: [5, 25], slicesPerRound: 2 });
      expect(seen).toHaveLength(4);
      for (const text of seen) expect(text).toContain('15 requests wait for one of 25 connections');
    });
  });

  test('requests that wait for a connection are no finding where others keep the service from the CPU', () => {
    const starved = { event_loop_active_seconds_per_s: 0.9, service_busiest_thread_cores: 0.2, machine_cpu_share: 1 };
    expect(names({ ...starved, pg_pool_acquire_mean_ms: 30, busy_connections_mean: 3 })).toEqual([]);
  });

  test('a service that was ready and had no CPU is as busy as one at work, on whatever machine', () => {
    const ready = { event_loop_active_seconds_per_s: 0.4, service_busiest_thread_cores: 0.2, machine_cpu_share: 0.5 };
    const queue = { ...ready, pg_pool_acquire_mean_ms: 30, busy_connections_mean: 3 };
    expect(names({ ...queue, service_busiest_thread_waited_share: 0.7 })).toEqual([]);
    const leaked = { ...queue, machine_cpu_share: 1, service_busiest_thread_waited_share: 0.1 };
    expect(names(leaked)).toContain('pool-waits-while-postgres-idles: b');
  });

  test('few busy connections are no finding where the event loop is what clients wait for', () => {
    expect(
      names({ busy_connections_mean: 1.8, busy_connections_p95: 2, event_loop_active_seconds_per_s: 0.9 }),
    ).toEqual([]);
  });

  test('temporary files that vanish, and that appear', () => {
    const bytes = (own: number, control: number): FixtureOptions => ({
      perRequest: ({ variant }) => ({ xact_commit: 1, temp_bytes: variant === 'b' ? own : control }),
    });
    expect(findings({}, bytes(0, 13e6))).toMatchObject([
      { name: 'temp-files', text: expect.stringContaining('no temporary files, control 13 MB') },
    ]);
    expect(findings({}, bytes(13e6, 0))).toMatchObject([
      { name: 'temp-files', text: expect.stringContaining('13 MB of temporary files a request, control none') },
    ]);
    expect(names({}, bytes(13e6, 11e6))).toEqual([]);
    expect(names({}, bytes(0, 8192))).toEqual([]);
  });

  test('the rate of what is read once is no finding in an arm that is slower', () => {
    const perRequest: FixtureOptions['perRequest'] = ({ variant }) => ({
      xact_commit: 1,
      blks_read: variant === 'b' ? 3 : 1.5,
      blks_hit: 300,
    });
    const slower: FixtureOptions = { perRequest, effect: ({ variant }) => (variant === 'b' ? Math.log(0.5) : 0) };
    expect(names({}, slower)).toEqual([]);
    // Nor what every request reads in one that is faster.
    const same: FixtureOptions['perRequest'] = () => ({ xact_commit: 1, blks_read: 3, blks_hit: 300 });
    expect(names({}, { perRequest: same, effect: ({ variant }) => (variant === 'b' ? Math.log(2.5) : 0) })).toEqual([]);
    const found = findings(
      {},
      { ...slower, perRequest: ({ variant }) => ({ xact_commit: 1, blks_read: variant === 'b' ? 9 : 1.5 }) },
    );
    expect(found).toMatchObject([{ name: 'cache-misses', text: expect.stringContaining('9 blocks read a request') }]);
  });
});

test('too small a cache is found in every cell, but not the first reads of a slow one', () => {
  const seen: FixtureOptions['probes'] = (cell) => ({ all: noisy({ ...healthy, block_read_share: 0.5 }, cell) });
  const reads = (blocks: number): FixtureOptions => ({
    probes: seen,
    perRequest: () => ({ xact_commit: 1, blks_read: blocks }),
  });
  expect(names({}, reads(10))).toEqual(['cache-misses: a,b']);
  expect(names({}, { ...reads(10), requestsPerSecond: 3 })).toEqual([]);
});

describe('what requests stand in line for', () => {
  /** The machine is full of others in every arm, so that nothing else would be named by how full it is. */
  const full = { machine_cpu_share: 0.99, service_busiest_thread_waited_share: 0.1 };
  const leak = {
    ...full,
    pg_pool_waiting_mean: 15,
    pg_pool_in_use_mean: 25,
    busy_connections_mean: 3,
    idle_in_transaction_mean: 1,
    event_loop_active_seconds_per_s: 0.2,
    service_busiest_thread_cores: 0.2,
  };
  const limits = (changes: Readonly<Record<string, number>>): string[] => {
    const probes: FixtureOptions['probes'] = (cell) => ({
      all: noisy({ ...healthy, ...full, ...(cell.variant === 'b' ? changes : {}) }, cell),
    });
    const { saturation } = summarize(fixtureJournal({ ...small, rounds: 8, probes }));
    return saturation.map(({ variant, resource, isLimit, text, uses }) => {
      expect(text.startsWith(uses[0]?.text ?? '?')).toBe(true);
      return `${variant}: ${isLimit ? resource : 'nothing'}`;
    });
  };

  test('is not called unused by a finding where a service tells only that connections are taken, or only that requests wait', () => {
    const idle = {
      busy_connections_mean: 1.5,
      busy_connections_p95: 2,
      event_loop_active_seconds_per_s: 0.1,
      service_busiest_thread_cores: 0.1,
      service_cpu_cores: 0.2,
      postgres_cpu_cores: 0.2,
      machine_cpu_share: 0.2,
    };
    const acquired = { pg_pool_acquire_per_s: 500, pg_pool_acquire_mean_ms: 20 };
    const { pg_pool_acquire_per_s: _, pg_pool_acquire_mean_ms: __, ...silent } = { ...healthy, ...idle };
    const seen = (values: Readonly<Record<string, number>>): string[] => {
      const { findings, saturation } = summarize(
        fixtureJournal({ ...small, rounds: 8, probes: () => ({ all: { ...silent, ...values } }) }),
      );
      const limits = saturation.flatMap(({ isLimit, resource }) => (isLimit ? [resource] : []));
      return [...new Set([...findings.map(({ name }) => name), ...limits])];
    };
    expect(seen({})).toEqual(['pool-unused']);
    expect(seen({ pg_pool_in_use_mean: 24 })).toEqual(['pool']);
    expect(seen(acquired)).toEqual(['pool-waits-while-postgres-idles']);
  });

  test('is named where a finding says so, however full the machine is', () => {
    expect(limits({})).toEqual(['a: machine cpu', 'a: machine cpu', 'b: machine cpu']);
    expect(limits(leak)).toEqual(['a: machine cpu', 'a: machine cpu', 'b: pool']);
    expect(limits({ log_transaction_open: 5 })).toEqual(['a: machine cpu', 'a: machine cpu', 'b: shared connection']);
  });
});

describe('a pooler before the database', () => {
  /** Findings and limits of variant b, behind a PgBouncer of 5 connections. */
  const pooled = (mode: PoolerMode, changes: Readonly<Record<string, number>>, spec: Partial<PoolerSpec> = {}) => {
    const probes: FixtureOptions['probes'] = (cell) => ({
      all: noisy({ ...healthy, ...(cell.variant === 'b' ? changes : {}) }, cell),
    });
    const journal = fixtureJournal({ ...small, rounds: 8, probes });
    const pooler = { kind: 'pgbouncer', mode, size: 5, settings: {}, ...spec } as const;
    const variants = journal.run.scenario.variants.map((one) => (one.name === 'b' ? { ...one, pooler } : one));
    const scenario = { ...journal.run.scenario, variants };
    const { findings, saturation } = summarize({ ...journal, run: { ...journal.run, scenario } });
    return {
      findings: findings.map(({ name, text, next }) => ({ name, text, next })),
      limit: saturation.find(({ variant }) => variant === 'b')?.resource,
    };
  };
  const waiting = {
    pgbouncer_clients_waiting_mean: 12,
    pgbouncer_wait_per_transaction_ms: 8,
    pgbouncer_servers_in_use_mean: 4.9,
    pgbouncer_in_transaction_mean: 4.8,
    pgbouncer_cpu_cores: 0.1,
    pg_pool_acquire_mean_ms: 30,
    busy_connections_mean: 4.8,
    busy_connections_p95: 5,
    idle_in_transaction_mean: 0.2,
    event_loop_active_seconds_per_s: 0.2,
    service_busiest_thread_cores: 0.2,
    machine_cpu_share: 0.4,
    postgres_cpu_cores: 0.3,
  };

  test('for which clients wait is named, and not the pool of the service', () => {
    const { findings, limit } = pooled('transaction', waiting);
    expect(findings).toEqual([
      {
        name: 'pooler-too-small',
        text: expect.stringMatching(
          /^b, 25 connections: all 5 connections of PgBouncer work and 1\d(\.\d)? clients wait for one \(\d(\.\d+)? ms a transaction\), while Postgres uses/,
        ),
        next: 'Try a larger size of PgBouncer.',
      },
    ]);
    expect(limit).toBe('pooler');
  });

  test('is as small as the setting that limits it', () => {
    const spec = { size: 20, settings: { max_user_connections: '5' } };
    const { findings, limit } = pooled('transaction', waiting, spec);
    expect(findings).toMatchObject([
      {
        name: 'pooler-too-small',
        text: expect.stringContaining('all 5 connections of PgBouncer work'),
        next: 'Try a larger max_user_connections of PgBouncer.',
      },
    ]);
    expect(limit).toBe('pooler');
  });

  test('whose connections are held and not used is told by its mode', () => {
    const held = {
      ...waiting,
      pgbouncer_in_transaction_mean: 1.2,
      busy_connections_mean: 1.2,
      busy_connections_p95: 3,
    };
    const { findings, limit } = pooled('session', held);
    expect(findings.map(({ name }) => name)).toContain('pooler-connections-held');
    expect(findings.find(({ name }) => name === 'pooler-connections-held')?.next).toMatch(
      /^In session mode each connection/,
    );
    expect(limit).toBe('pooler');
    expect(pooled('transaction', held).findings.find(({ name }) => name === 'pooler-connections-held')?.next).toMatch(
      /^Look for transactions that stay open/,
    );
  });

  test('whose waits do not end has no wait of a transaction, also in old journals', () => {
    const held = { ...waiting, pgbouncer_in_transaction_mean: 1.2, pgbouncer_wait_per_transaction_ms: 0 };
    const finding = pooled('session', held).findings.find(({ name }) => name === 'pooler-connections-held');
    expect(finding?.text).toMatch(/ clients wait for one\.$/);
  });

  test('whose one thread is busy is the limit', () => {
    const { findings, limit } = pooled('transaction', { pgbouncer_cpu_cores: 1.1, pgbouncer_servers_in_use_mean: 2 });
    expect(findings.map(({ name }) => name)).toEqual(['pooler-busy']);
    expect(limit).toBe('pooler cpu');
  });

  test('that nobody waits for is no finding', () => {
    const quiet = {
      pgbouncer_clients_waiting_mean: 0.01,
      pgbouncer_servers_in_use_mean: 3,
      pgbouncer_in_transaction_mean: 3,
      pgbouncer_cpu_cores: 0.1,
    };
    expect(
      pooled('transaction', {
        ...waiting,
        ...quiet,
        pg_pool_acquire_mean_ms: 0.05,
        busy_connections_mean: 3.5,
        busy_connections_p95: 5,
      }).findings,
    ).toEqual([]);
  });
});

describe('transactions per request', () => {
  const counted = (control: number, value: number): FixtureOptions => ({
    perRequest: ({ variant }) => ({ xact_commit: variant === 'b' ? value : control }),
  });

  test('other than the control, with both numbers', () => {
    expect(findings({}, counted(1, 2))).toMatchObject([
      {
        name: 'transactions-per-request',
        text: 'b, 25 connections: 2.00 transactions per request, control 1.00.',
        cells: [{ variant: 'b' }],
      },
    ]);
  });

  test('not whole, in every cell, said once', () => {
    expect(findings({}, counted(1.4, 1.4))).toMatchObject([
      {
        text: expect.stringMatching(/1\.40 transactions per request: not a whole number \(also b\)\.$/),
      },
    ]);
  });

  test('other than the same arm has with fewer clients, in every arm alike', () => {
    const growing = (byClients: (connections: number) => number): FixtureOptions => ({
      connections: [1, 25],
      windowMs: 20_000,
      perRequest: ({ connections }) => ({ xact_commit: byClients(connections) }),
    });
    expect(
      findings(
        {},
        growing((connections) => (connections === 1 ? 1 : 4.3)),
      ),
    ).toMatchObject([
      {
        name: 'transactions-per-request',
        text: expect.stringMatching(
          /^a, 25 connections: 4\.30 transactions per request, 1\.00 with 1 client \(also b\)\.$/,
        ),
      },
    ]);
    // A few a second besides count for more where requests are few.
    expect(
      names(
        {},
        growing((connections) => (connections === 1 ? 1.04 : 1)),
      ),
    ).toEqual([]);
    expect(findings({}, { ...growing(() => 1), ...counted(1, 2), connections: [1, 25] })[0]?.text).not.toContain(
      'client',
    );
  });

  test('are no finding where the arms of the control differ as much, or where a mix was drawn so', () => {
    const arms = (own: number, again: number, value: number): FixtureOptions => ({
      perRequest: ({ variant, repeat }) => ({ xact_commit: variant === 'b' ? value : repeat ? again : own }),
      effect: ({ variant }) => (variant === 'b' ? 0.02 : 0),
    });
    const told = (options: FixtureOptions, requests?: 'mix'): string[] => {
      const journal = fixtureJournal({
        ...small,
        rounds: 8,
        probes: (cell) => ({ all: noisy(healthy, cell) }),
        ...options,
      });
      const { scenario } = journal.run;
      const workload = { kind: 'requests', requests: [mixed('GET'), mixed('POST')] } as const;
      const load = { ...scenario.load, ...(requests && { workload }) };
      const { findings } = summarize({ ...journal, run: { ...journal.run, scenario: { ...scenario, load } } });
      return findings.flatMap(({ name, cells }) =>
        cells.filter(({ text }) => text.includes('control')).map(({ variant }) => `${name}: ${variant}`),
      );
    };
    const mixed = (method: 'GET' | 'POST') => ({ name: method, method, path: '/', headers: {}, weight: 1 });
    expect(told(arms(2, 2, 2.3))).toEqual(['transactions-per-request: b']);
    expect(told(arms(1.8, 2.2, 2.3))).toEqual([]);
    expect(told(arms(2, 2, 2.3), 'mix')).toEqual(['transactions-per-request: b']);
    // Of 2,200 requests, which are all alike or drawn.
    const few: FixtureOptions = { ...arms(2, 2, 2.13), requestsPerSecond: 13.75, rounds: 4 };
    expect(told(few)).toEqual(['transactions-per-request: b']);
    expect(told(few, 'mix')).toEqual([]);
  });

  test('of a database that is hardly used are told as that, where the pool is the question', () => {
    const pools = { variants: ['pool=10', 'pool=20'], control: 'pool=10' };
    const quiet = { ...healthy, busy_connections_mean: 0.1, busy_connections_p95: 1, idle_in_transaction_mean: 0 };
    const seen = (changes: Readonly<Record<string, number>>): FixtureOptions => ({
      ...pools,
      perRequest: ({ variant }) => ({ xact_commit: variant === 'pool=20' ? 0.09 : 0.05 }),
      probes: () => ({ all: { ...quiet, ...changes } }),
    });
    const options = seen({ statement_calls: 20 });
    expect(findings({}, options)).toMatchObject([
      {
        name: 'database-hardly-used',
        text: expect.stringMatching(
          /^pool=10, 25 connections: 0\.05 transactions a request: .* a pool cannot matter \(also pool=20\)\.$/,
        ),
      },
    ]);
    // Postgres 15 and later count no commit of a session that touches no table: statements and connections are beyond doubt.
    expect(names({}, seen({ statement_calls: 1e6 }))).toEqual([]);
    expect(names({}, seen({ statement_calls: 0, busy_connections_mean: 8, busy_connections_p95: 14 }))).toEqual([]);
    const { pg_pool_max_mean: _, ...unknown } = quiet;
    expect(names({}, { ...options, variants: ['a', 'b'], control: 'a', probes: () => ({ all: unknown }) })).toEqual([]);
  });

  test('are no finding where many requests fail: what is refused reaches no database', () => {
    const quiet = {
      busy_connections_mean: 0.1,
      busy_connections_p95: 1,
      idle_in_transaction_mean: 0,
      statement_calls: 20,
    };
    const refused = (share: (cell: FixtureCell) => number): string[] =>
      names(quiet, {
        variants: ['pool=10', 'pool=20'],
        control: 'pool=10',
        connections: [1, 25],
        windowMs: 20_000,
        probes: () => ({ all: { ...healthy, ...quiet } }),
        failures: (cell, requests) => ({ statuses: { 429: Math.round(share(cell) * requests) } }),
        perRequest: () => ({ xact_commit: 1 }),
      });
    expect(refused(() => 0.83)).toEqual([]);
    expect(refused(() => 0.98)).toEqual([]);
    // No yardsticks there: the control's number, and the number with fewer clients.
    expect(refused(({ variant }) => (variant === 'pool=10' ? 0.3 : 0))).toEqual([]);
    expect(refused(({ connections }) => (connections === 1 ? 0.3 : 0))).toEqual([]);
  });

  test('that drift over rounds are said to, and what utility statements make of them', () => {
    const statement = (text: string, calls: number) => ({
      statement: text,
      queryid: '1',
      calls,
      total_ms: 5,
      rows: 0,
      blocks_hit: 0,
      blocks_read: 0,
      wal_bytes: 0,
    });
    const [finding] = findings(
      {},
      {
        perRequest: ({ round }) => ({ xact_commit: 1.19 + 0.02 * round }),
        probes: (cell) => ({ all: noisy(healthy, cell), 'pg-stat-statements': {} }),
        probeRows: () => ({
          'pg-stat-statements': [
            statement('SELECT 1', 2400),
            statement('deallocate $1', 630),
            statement('COMMIT', 2400),
          ],
        }),
      },
    );
    expect(finding?.text).toMatch(
      /^a, 25 connections: 1\.28 transactions per request \(0\.2\d DEALLOCATE a request\): not a whole number, drifting from 1\.21 to 1\.35 over 8 rounds \(also b\)\.$/,
    );
    // On a Postgres that does not show them.
    const unseen = findings(
      {},
      {
        ...counted(1, 1.5),
        probes: (cell) => ({ all: noisy(healthy, cell), 'pg-stat-statements': {} }),
        probeRows: () => ({
          'pg-stat-statements': [
            statement('BEGIN', 2400),
            statement('SELECT 1', 1200),
            statement('/* a */ COMMIT', 1200),
          ],
        }),
      },
    );
    expect(unseen[0]?.text).toMatch(
      /^b, 25 connections: 1\.50 transactions per request \(0\.(49|5\d) or more of statements that pg_stat_statements does not show, .*\), control 1\.00\.$/,
    );
    // A round that is odd is no drift.
    expect(names({}, { perRequest: ({ round }) => ({ xact_commit: round === 8 ? 2.3 : 2 }) })).toEqual([]);
  });

  test('stand after a plan that changed, from which they follow', () => {
    const row = (total: number) => ({
      statement: 'SELECT a',
      queryid: '1',
      calls: 100,
      total_ms: total,
      rows: 1,
      blocks_hit: 3,
      blocks_read: 0,
      wal_bytes: 0,
    });
    const seen = findings(
      {},
      {
        ...counted(1, 2),
        probes: (cell) => ({ all: noisy(healthy, cell), 'pg-stat-statements': {}, plans: {} }),
        probeRows: ({ variant }) => ({
          'pg-stat-statements': [row(40)],
          plans: [
            { statement: 'SELECT a', queryid: '1', shape: variant === 'b' ? 'Seq Scan on a' : 'Index Scan on a' },
          ],
        }),
      },
    );
    expect(seen.map(({ name }) => name)).toEqual(['plan-changed', 'transactions-per-request']);
  });

  test('a few besides are no finding', () => {
    expect(names({}, counted(1.01, 1.03))).toEqual([]);
    // One in seven more, of so few requests that a few of the service's own a second are as many.
    const few: FixtureOptions = { ...counted(1, 1.15), requestsPerSecond: 0.5, rounds: 4 };
    expect(names({}, few)).toEqual([]);
    expect(names({}, { ...few, requestsPerSecond: 60 })).toEqual(['transactions-per-request: b']);
  });

  test('are no finding of a job, alone or beside requests: its transactions are its own', () => {
    const options: FixtureOptions = {
      ...small,
      rounds: 8,
      ...counted(1, 2),
      probes: (cell) => ({ all: noisy(healthy, cell) }),
    };
    const waits = { jobMs: 500, longestMs: 40, beforeMs: 5, rateRatio: 1 };
    for (const journal of [aloneJob(options, () => 500), besideJob(options, () => waits)])
      expect(summarize(journal).findings.map(({ name }) => name)).not.toContain('transactions-per-request');
  });

  test('are told of slices that are void for that very reason', () => {
    const journal = fixtureJournal({
      ...small,
      rounds: 8,
      ...counted(1, 2),
      probes: (cell) => ({ all: noisy(healthy, cell) }),
    });
    const { scenario } = journal.run;
    const declared = { ...scenario, load: { ...scenario.load, transactionsPerRequest: 1 } };
    const { findings } = summarize({ ...journal, run: { ...journal.run, scenario: declared } });
    expect(findings).toMatchObject([{ name: 'transactions-per-request', cells: [{ variant: 'b' }] }]);
  });
});

describe('rows', () => {
  const row = (statement: string, total: number) => ({
    statement,
    queryid: '1',
    calls: 100,
    total_ms: total,
    rows: 100,
    blocks_hit: 300,
    blocks_read: 0,
    wal_bytes: 50,
  });
  const index = 'Index Scan on aliases using aliases_pkey';
  const planned = (shape: (cell: FixtureCell) => string): FixtureOptions => ({
    probes: (cell) => ({ 'pg-stat-statements': noisy(healthy, cell), plans: {} }),
    probeRows: (cell) => ({
      'pg-stat-statements': [row('SELECT a', cell.variant === 'b' ? 80 : 40), row('SELECT b', 10)],
      plans: [{ statement: 'SELECT a', queryid: '1', shape: shape(cell) }],
    }),
  });

  test('a plan that the control never had is found, with what it had instead', () => {
    const changed = findings(
      {},
      planned(({ variant }) => (variant === 'b' ? 'Limit | Seq Scan on aliases' : `Limit | ${index}`)),
    );
    expect(changed).toMatchObject([
      {
        name: 'plan-changed',
        text: expect.stringContaining(`Seq Scan on aliases appears (control: ${index}) in "SELECT a", 89 %`),
      },
    ]);
  });

  test('a plan that the control has now and then is no finding', () => {
    const flips = planned(({ variant, round }) => (variant === 'b' || round === 3 ? 'Seq Scan on aliases' : index));
    expect(names({}, flips)).toEqual([]);
  });

  test('top statements are given per request, and against the control', () => {
    const { statements } = summarize(fixtureJournal({ ...small, rounds: 8, ...planned(() => index) }));
    const [first, second] = statements.filter(({ variant }) => variant === 'b');
    expect(first).toMatchObject({ statement: 'SELECT a', meanMs: 0.8, rowsPerCall: 1 });
    expect(first?.timeShare).toBeCloseTo(8 / 9, 5);
    // Both arms of the control have the same noise in their rate, so the ratio is near 2 and 1.
    expect(first?.deltaPercent).toBeGreaterThan(80);
    expect(Math.abs(second?.deltaPercent ?? 100)).toBeLessThan(10);
    expect(statements.find(({ variant }) => variant === 'a')?.deltaPercent).toBeNull();
  });

  test('take no more room the longer a run is, whatever statements come', () => {
    const probeRows: FixtureOptions['probeRows'] = ({ round }) => ({
      'pg-stat-statements': Array.from({ length: 20 }, (_, i) => row(`SELECT ${round} ${i}`, 1)),
    });
    const options: FixtureOptions = {
      ...small,
      rounds: 30,
      probes: (cell) => ({ 'pg-stat-statements': noisy(healthy, cell) }),
      probeRows,
    };
    const { statements } = summarize(fixtureJournal(options));
    expect(statements).toHaveLength(2 * 10);
  });
});
