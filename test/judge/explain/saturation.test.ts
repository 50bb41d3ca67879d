import { describe, expect, test } from 'vitest';
import { saturationOf } from '../../../src/judge/explain/saturation.ts';
import type { SaturationFacts } from '../../../src/judge/explain/saturation-facts.ts';
import { poolUseOf } from '../../../src/judge/read/metrics/probe-values.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { fixtureJournal } from '../journal-fixture.ts';
import { small } from '../small-run.ts';

/** A Node service that waits for its clients: nothing is near a limit. */
const idle = {
  service_cpu_cores: 0.3,
  service_busiest_thread_cores: 0.27,
  postgres_cpu_cores: 0.4,
  generator_cpu_cores: 0.2,
  generator_busiest_thread_cores: 0.18,
  machine_cpu_share: 0.45,
  event_loop_active_seconds_per_s: 0.28,
  pg_pool_max_mean: 10,
  pg_pool_held_per_s: 500,
  pg_pool_held_mean_ms: 4,
  pg_pool_acquire_per_s: 500,
  pg_pool_acquire_mean_ms: 0.02,
  busy_connections_mean: 1.4,
  lock_wait_share: 0.02,
  io_wait_share: 0.05,
  network_utilisation_share: 0.01,
};

/** Of one slice. */
function saturated({ values, ...others }: SaturationFacts) {
  return saturationOf({ values: { ...values, ...poolUseOf(values) }, ...others });
}

function judged(changes: Readonly<Record<string, number>>, generatorUtilisation = 0.2, cpuCount = 2) {
  const found = saturated({ values: { ...idle, ...changes }, cpuCount, generatorUtilisation });
  if (found === null) throw new Error('nothing is known');
  return found;
}

describe('the resource nearest its limit', () => {
  test('is no limit where all are far from theirs', () => {
    const found = judged({});
    expect(found.isLimit).toBe(false);
    expect(found.uses).toHaveLength(9);
    expect(found.text).toContain('pool 2 of 10 taken, ');
  });

  test('is the event loop at one core, whatever the machine has', () => {
    const loop = { event_loop_active_seconds_per_s: 0.97, service_busiest_thread_cores: 0.96, service_cpu_cores: 1.1 };
    const found = judged({ ...loop, machine_cpu_share: 0.1 }, 0.2, 16);
    expect(found).toMatchObject({ resource: 'service event loop', utilisation: 0.97, isLimit: true });
    expect(found.text).toMatch(/^service event loop 97 % busy, /);
    expect(found.text).toContain('Postgres 0.4 of 16 cores');
  });

  test('of several instances is the busiest event loop, and CPU and pools of all together', () => {
    const several = {
      ...idle,
      event_loop_active_seconds_per_s: 2.6,
      event_loop_active_busiest_seconds_per_s: 0.97,
      service_busiest_thread_cores: 0.96,
      service_cpu_cores: 2.9,
      pg_pool_max_mean: 40,
      pg_pool_held_per_s: 5000,
    };
    const found = saturated({ values: several, cpuCount: 16, generatorUtilisation: 0.2, instances: 4 });
    expect(found).toMatchObject({ resource: 'service event loop', utilisation: 0.97, isLimit: true });
    expect(found?.text).toMatch(/^busiest event loop of 4 instances of the service 97 % busy, /);
    expect(found?.text).toContain('4 instances of the service 2.9 of 16 cores');
    expect(found?.text).toContain('pools of 4 instances 20 of 40 taken');
  });

  test('is the busiest thread of a service without event loop metrics', () => {
    const { event_loop_active_seconds_per_s: _, ...values } = { ...idle, service_busiest_thread_cores: 0.93 };
    expect(saturated({ values, cpuCount: 4, generatorUtilisation: null })).toMatchObject({
      resource: 'service event loop',
      text: expect.stringMatching(/^busiest thread of the service 93 % busy, /),
    });
  });

  test('is the machine where the event loop is kept from the CPU, and nobody alone has it all', () => {
    const shared = {
      event_loop_active_seconds_per_s: 0.95,
      service_busiest_thread_cores: 0.5,
      service_cpu_cores: 0.55,
      postgres_cpu_cores: 1.1,
      machine_cpu_share: 0.99,
      pg_pool_held_mean_ms: 20,
    };
    const found = judged(shared);
    expect(found).toMatchObject({ resource: 'machine cpu', utilisation: 0.99 });
    expect(found.text).toMatch(/^all 2 cores 99 % busy, .*service event loop 95 % busy \(with 0.5 of a core\)/);
    // The machine's CPU is of a whole pass, an arm's own of its turns: the difference is no one's.
    expect(judged({ ...shared, postgres_cpu_cores: 0.3 }).text).toMatch(/^all 2 cores 99 % busy, /);
    const cores = { own: 1.08, others: 0.8, rest: 0.1 };
    const foreign = { values: { ...idle, ...shared }, cpuCount: 2, generatorUtilisation: 0.2, cores };
    expect(saturated(foreign)?.text).toMatch(/^all 2 cores 99 % busy \(0.8 by others than the run\)/);
  });

  test('is no event loop that is full of waiting for the CPU, though the machine has some left', () => {
    const pinned = { event_loop_active_seconds_per_s: 0.95, service_busiest_thread_cores: 0.5, machine_cpu_share: 0.3 };
    expect(judged({ ...pinned, service_busiest_thread_waited_share: 0.45 }).isLimit).toBe(false);
    // It does something else than to compute, such as to read a file.
    expect(judged({ ...pinned, service_busiest_thread_waited_share: 0.02 }).resource).toBe('service event loop');
  });

  test('is the event loop on a full machine too, where it has a core of its own', () => {
    const full = { event_loop_active_seconds_per_s: 0.97, service_busiest_thread_cores: 0.93, machine_cpu_share: 0.98 };
    expect(judged(full)).toMatchObject({ resource: 'service event loop', utilisation: 0.93 });
  });

  test('is a lock that all but the one who holds it wait for, however few they are', () => {
    const found = judged({ busy_connections_mean: 3.9, lock_wait_share: 0.74 });
    expect(found).toMatchObject({ resource: 'locks', isLimit: true });
    expect(found.text).toMatch(/^locks \(74 % of busy connections wait for one\), /);
    expect(judged({ busy_connections_mean: 2, lock_wait_share: 0.5 }).resource).toBe('locks');
    expect(judged({ busy_connections_mean: 1.2, lock_wait_share: 0.3 }).isLimit).toBe(false);
  });

  test('is no wait of the few connections that are ever busy', () => {
    const found = judged({ busy_connections_mean: 0.3, io_wait_share: 0.9 });
    expect(found.isLimit).toBe(false);
    expect(found.uses.find(({ resource }) => resource === 'io')?.utilisation).toBeCloseTo(0.27, 9);
  });

  test('is the pool by Little: connections held, and requests that wait for one', () => {
    const found = judged({ pg_pool_held_mean_ms: 19.6, pg_pool_acquire_mean_ms: 28 });
    expect(found).toMatchObject({ resource: 'pool', isLimit: true });
    expect(found.utilisation).toBeCloseTo(0.98, 9);
    expect(found.text).toMatch(/^pool 9.8 of 10 taken \(14 requests wait\), /);
  });

  test('is the pool where connections never come back, which no mean of how long they are held can tell', () => {
    const leaked = {
      pg_pool_held_per_s: 20,
      pg_pool_held_mean_ms: 50,
      pg_pool_in_use_mean: 10,
      pg_pool_waiting_mean: 8,
    };
    expect(judged(leaked).text).toMatch(/^pool 10 of 10 taken \(8 requests wait\), /);
  });

  test('is not the pool where all of it is taken and nobody waits: it is as large as its clients are many', () => {
    expect(judged({ pg_pool_held_mean_ms: 19.6 }).isLimit).toBe(false);
  });

  describe('is a shared connection', () => {
    const shared = { ...idle, busy_connections_mean: 0.97, busy_connections_p95: 1, pg_pool_held_mean_ms: 1 };
    const of = (changes: Readonly<Record<string, number>>, facts: Partial<SaturationFacts> = {}) =>
      saturated({ values: { ...shared, ...changes }, cpuCount: 2, generatorUtilisation: 0.2, clients: 25, ...facts });

    test('where it is always busy, many clients wait, and nobody else is busy', () => {
      expect(of({})).toMatchObject({ resource: 'shared connection', isLimit: true, utilisation: 0.97 });
      expect(of({})?.text).toMatch(/^0.97 connections busy for 25 clients \(1 at most 95 % of the time\), /);
      const { pg_pool_max_mean: _, ...rest } = shared;
      const told = saturationOf({ values: rest, cpuCount: 2, generatorUtilisation: 0.2, clients: 25, poolSize: 10 });
      expect(told?.resource).toBe('shared connection');
    });

    test.each([
      ['few clients', {}, { clients: 3 }],
      ['a pool of two', { pg_pool_max_mean: 2 }, {}],
      ['a pool that is taken', { pg_pool_held_mean_ms: 20, pg_pool_acquire_mean_ms: 28 }, {}],
      ['a busy event loop', { event_loop_active_seconds_per_s: 0.8 }, {}],
      ['a busy machine', { machine_cpu_share: 0.7 }, {}],
      ['a connection that often rests', { busy_connections_mean: 0.5 }, {}],
    ])('not with %s', (_, changes, facts) => {
      expect(of(changes, facts)).not.toMatchObject({ resource: 'shared connection', isLimit: true });
    });
  });

  test('is not the pool where something behind it is full', () => {
    const full = { pg_pool_held_mean_ms: 20 };
    expect(judged({ ...full, postgres_cpu_cores: 1.9 }).resource).toBe('postgres cpu');
    expect(judged({ ...full, lock_wait_share: 0.9 }).resource).toBe('locks');
    expect(judged({ ...full, io_wait_share: 0.9 }).resource).toBe('io');
    expect(judged({ ...full, event_loop_active_seconds_per_s: 0.9 }).resource).toBe('service event loop');
  });

  test('is the generator where that is full, by its event loop or its thread', () => {
    expect(judged({}, 0.95)).toMatchObject({ resource: 'generator', utilisation: 0.95 });
    expect(judged({ generator_busiest_thread_cores: 0.9 }).resource).toBe('generator');
  });

  test('is the network where an interface is full', () => {
    expect(judged({ network_utilisation_share: 0.96 })).toMatchObject({ resource: 'network', isLimit: true });
  });

  test('reads the pools of Go and the JVM', () => {
    const { pg_pool_max_mean: _, pg_pool_held_per_s: __, pg_pool_held_mean_ms: ___, ...rest } = idle;
    const { pg_pool_acquire_per_s: _a, pg_pool_acquire_mean_ms: _b, ...bare } = rest;
    const go = { go_sql_max_open_connections_mean: 8, go_sql_in_use_connections_mean: 7.9 };
    const values = { ...bare, ...go, go_sql_wait_duration_seconds_per_s: 3 };
    expect(saturated({ values, cpuCount: 2, generatorUtilisation: 0.1 })?.text).toMatch(
      /^pool 7.9 of 8 taken \(3 requests wait\), /,
    );
    const jvm = { hikaricp_connections_max_mean: 10, hikaricp_connections_active_mean: 9 };
    expect(saturated({ values: jvm, cpuCount: 2, generatorUtilisation: null })?.text).toBe('pool 9 of 10 taken');
  });

  test('has of OpenSearch what it did for each arm, and nothing in an arm that did not use it', () => {
    const times = (ms: number) => ({ opensearch_index_time_ms: ms, opensearch_query_time_ms: 0 });
    const probes = ({ variant }: { variant: string }) => ({
      p: { ...idle, opensearch_cpu_cores: 0.3, ...times(variant === 'b' ? 900 : variant === 'c' ? 300 : 0) },
    });
    const { saturation } = summarize(fixtureJournal({ ...small, variants: ['a', 'b', 'c'], probes }));
    const said = saturation.map(({ variant, uses }) => [
      variant,
      uses.find(({ resource }) => resource === 'opensearch cpu')?.text ?? null,
    ]);
    // Two arms of the control, b and c: 0.3 cores of four arms' time are 1.2 cores in the turns of b and c together.
    expect(said).toEqual([
      ['a', null],
      ['a', null],
      ['b', 'OpenSearch 0.9 of 2 cores'],
      ['c', 'OpenSearch 0.3 of 2 cores'],
    ]);
  });

  test('has of the machine what each arm used of it, so that its parts add up', () => {
    // The pass: a, a and b with 0.4, 0.4 and 1.6 cores of service and Postgres, 0.02 of the generator, 0.1 of others, 0.08 beside.
    const probes = ({ variant }: { variant: string }) => ({
      p: {
        service_cpu_cores: variant === 'b' ? 1.2 : 0.3,
        postgres_cpu_cores: variant === 'b' ? 0.4 : 0.1,
        machine_cpu_share: 0.5,
      },
    });
    const conditions = () => ({ foreignCpuShare: 0.05 });
    const { saturation } = summarize(fixtureJournal({ ...small, probes, conditions }));
    const machine = saturation.map(
      ({ variant, uses }) => [variant, uses.find(({ resource }) => resource === 'machine cpu')?.text] as const,
    );
    expect(machine).toEqual([
      ['a', 'all 2 cores 30 % busy'],
      ['a', 'all 2 cores 30 % busy'],
      ['b', 'all 2 cores 90 % busy'],
    ]);
  });

  test.each([
    [{ pg_pool_max_mean: 5, pg_pool_held_mean_ms: 8 }, /^one of 4 pools 4 of 5 taken \(14 requests wait\), /],
    [{ pg_pool_max_mean: 20, pg_pool_held_mean_ms: 36 }, /^4 pools 18 of 20 taken \(14 requests wait\), /],
  ])('has all pools of a service in several processes: %j', (changes, text) => {
    const queue = { pg_pool_acquire_mean_ms: 28 };
    const facts = { cpuCount: 2, generatorUtilisation: 0.2, clients: 25, poolSize: 20, pools: 4 };
    expect(saturated({ values: { ...idle, ...queue, ...changes }, ...facts })?.text).toMatch(text);
  });

  test('is no shared connection where each process shows a small pool, and all together have many', () => {
    const values = {
      ...idle,
      busy_connections_mean: 2.9,
      busy_connections_p95: 3,
      pg_pool_max_mean: 3,
      pg_pool_held_mean_ms: 1,
    };
    const of = (more: Partial<SaturationFacts>) =>
      saturated({ values, cpuCount: 2, generatorUtilisation: 0.2, clients: 25, ...more })?.resource;
    expect(of({ poolSize: 3 })).not.toBe('shared connection');
    // Three of twelve that are always busy: another thing than a pool of three.
    expect(of({ poolSize: 12, pools: 4 })).toBe('shared connection');
  });

  test('is the CPU limit of pgsweep where it stops all processes of the run, whatever seems full then', () => {
    const values = { ...idle, machine_cpu_share: 1, event_loop_active_seconds_per_s: 0.97 };
    const of = (throttledShare: number | null) =>
      saturated({ values, cpuCount: 2, generatorUtilisation: 0.95, throttledShare });
    expect(of(0.69)).toMatchObject({
      resource: 'cpu limit',
      isLimit: true,
      text: expect.stringMatching(/^CPU limit of pgsweep's control group used up in 69 % of its periods, /),
    });
    expect(of(0.2)?.resource).toBe('generator');
    expect(of(0)?.text).toBe(of(null)?.text);
  });

  test('of a cell may be a CPU limit that other loads do not use up', () => {
    const probes = () => ({ p: { ...idle, machine_cpu_share: 1 } });
    const conditions = (_: number, connections: number) => ({ throttledShare: connections === 25 ? 0.7 : 0.1 });
    const { saturation } = summarize(fixtureJournal({ ...small, connections: [1, 25], probes, conditions }));
    const resources = saturation.map(({ load, resource, isLimit }) => [load, resource, isLimit]);
    expect(resources).toContainEqual([{ connections: 25 }, 'cpu limit', true]);
    expect(resources).not.toContainEqual([{ connections: 1 }, 'cpu limit', true]);
  });

  test('of a cell comes from the means of its rounds; without probes there is none', () => {
    const probes = ({ variant, round }: { variant: string; round: number }) => ({
      p: { ...idle, event_loop_active_seconds_per_s: variant === 'b' ? 0.9 + 0.02 * (round % 2) : 0.2 },
    });
    const { saturation } = summarize(fixtureJournal({ ...small, probes }));
    expect(saturation.map(({ variant, repeat, resource, isLimit }) => [variant, repeat, resource, isLimit])).toEqual([
      ['a', false, expect.anything(), false],
      ['a', true, expect.anything(), false],
      ['b', false, 'service event loop', true],
    ]);
    expect(saturation[2]?.utilisation).toBe(0.91);
    expect(summarize(fixtureJournal(small)).saturation).toEqual([]);
    expect(saturated({ values: {}, cpuCount: 2, generatorUtilisation: null })).toBeNull();
  });
});
