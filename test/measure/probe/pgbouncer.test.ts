import { describe, expect, it } from 'vitest';
import { pgBouncer, pgBouncerValues, type Reading, readingOf } from '../../../src/measure/probe/pgbouncer.ts';

/** As node-postgres gives the rows of SHOW STATS of PgBouncer 1.18: numbers beyond an int come as text. */
const stats = [
  {
    database: 'pgbouncer',
    total_xact_count: '9',
    total_query_count: '9',
    total_xact_time: '0',
    total_query_time: '0',
    total_wait_time: '0',
  },
  {
    database: 'pgsweep_r1_a0',
    total_xact_count: '1000',
    total_query_count: '3000',
    total_xact_time: '16000000',
    total_query_time: '14500000',
    total_wait_time: '12000000',
  },
];
const pools = [
  {
    database: 'pgbouncer',
    user: 'pgbouncer',
    cl_active: 1,
    cl_waiting: 0,
    sv_active: 0,
    sv_idle: 0,
    maxwait: 0,
    maxwait_us: 0,
  },
  {
    database: 'pgsweep_r1_a0',
    user: 'postgres',
    cl_active: 5,
    cl_waiting: 20,
    sv_active: 5,
    sv_idle: 1,
    sv_used: 0,
    sv_tested: 0,
    sv_login: 1,
    maxwait: 1,
    maxwait_us: 250_000,
  },
];

const nothing = readingOf({ stats: [], pools: [], cpuMs: 100 });
const full = readingOf({ stats, pools, cpuMs: 600 });

function between(
  last: Partial<Reading>,
  seen: readonly Partial<Reading>[] = [],
  first: Partial<Reading> = {},
): Readonly<Record<string, number>> {
  const sample = (value: Partial<Reading>, atMs: number) => ({ atMs, value: { ...nothing, ...value } });
  const samples = [sample(first, 0), ...seen.map((value) => sample(value, 1)), sample(last, 2)] as const;
  return pgBouncerValues(samples as Parameters<typeof pgBouncerValues>[0], {
    loadMs: 2000,
    turns: [{ fromMs: 0, toMs: 2000 }],
  });
}

describe('what PgBouncer counts', () => {
  it('is read without its own console', () => {
    expect(full).toMatchObject({
      transactions: 1000,
      queries: 3000,
      wait_us: 12_000_000,
      pgbouncer_in_transaction_mean: 16_000_000,
      pgbouncer_querying_mean: 14_500_000,
      clients: 25,
      clients_waiting: 20,
      servers: 7,
      servers_in_use: 5,
      longest_wait_ms: 1250,
    });
    expect(nothing).toMatchObject({ clients: 0, longest_wait_ms: 0, transactions: 0 });
  });

  it("is told per second of the arm's load; means by Little's law, and what was seen in its turns", () => {
    const ended = { ...full, clients_waiting: 0 };
    expect(between(ended, [full, { ...full, clients_waiting: 2, servers_in_use: 3 }])).toEqual({
      pgbouncer_transactions_per_s: 500,
      pgbouncer_queries_per_s: 1500,
      pgbouncer_wait_per_transaction_ms: 12,
      pgbouncer_clients_waiting_mean: 6,
      pgbouncer_in_transaction_mean: 2,
      pgbouncer_querying_mean: 1.25,
      pgbouncer_clients_mean: 25,
      pgbouncer_clients_waiting_max: 20,
      pgbouncer_servers_mean: 7,
      pgbouncer_servers_in_use_mean: 4,
      pgbouncer_longest_wait_ms: 1250,
      pgbouncer_cpu_cores: 0.25,
    });
  });

  it('has no waits in its transactions and queries, and no more of them than connections', () => {
    // 20 clients on 4 connections for 2 s, in transactions that do nothing for most of their time, as PgBouncer 1.18 counted.
    const held = { transactions: 379, wait_us: 32_000_000, servers: 4, servers_in_use: 4 };
    const working = (more: Partial<Reading>) => {
      const values = between({ ...held, ...more }, [{ ...held, clients: 20, clients_waiting: 16 }]);
      return [values.pgbouncer_in_transaction_mean, values.pgbouncer_querying_mean];
    };
    const counted = { pgbouncer_in_transaction_mean: 39_860_000, pgbouncer_querying_mean: 32_200_000 };
    expect(working(counted)).toEqual([3.93, 0.1]);
    expect(working({ ...counted, wait_us: 1_000_000 })).toEqual([4, 4]);
    expect(working({ ...counted, wait_us: 40_000_000 })).toEqual([0, 0]);
  });

  it('of waits that have not ended is what was seen to wait', () => {
    expect(between({ transactions: 10 }, [full])).toMatchObject({ pgbouncer_clients_waiting_mean: 20 });
  });

  it('of waits that outlast the turns is what was seen to wait, and has no wait of a transaction', () => {
    const waits = (...slice: Parameters<typeof between>) => {
      const values = between(...slice);
      return [values.pgbouncer_clients_waiting_mean, values.pgbouncer_wait_per_transaction_ms];
    };
    const queue = { clients: 20, clients_waiting: 16, longest_wait_ms: 1500 };
    const done = { transactions: 100, clients: 20, pgbouncer_wait_per_transaction_ms: 20_000_000 };
    // Session mode: a few waits end, those of all others do not.
    expect(waits({ ...done, ...queue, wait_us: 16_000_000 }, [queue], queue)).toEqual([16, undefined]);
    expect(waits({ ...done, ...queue, wait_us: 2_000_000 }, [], queue)).toEqual([16, undefined]);
    // They ended in this slice, and began long before: 36 clients of 20.
    expect(waits({ ...done, wait_us: 72_000_000 }, [{ ...queue, clients_waiting: 15 }])).toEqual([15, undefined]);
    expect(waits({ ...done, wait_us: 36_000_000 }, [{ ...queue, longest_wait_ms: 60_000 }])).toEqual([16, undefined]);
    // Transaction mode: what is counted is complete, and samples are few.
    expect(waits({ ...done, wait_us: 20_000_000 }, [queue, { clients: 20 }])).toEqual([10, 200]);
    expect(waits({ ...done, wait_us: 20_000_000 }, [{ clients: 20 }])).toEqual([10, 200]);
  });

  it('is nothing where it was started anew, and has no CPU where that cannot be read', () => {
    expect(between({ transactions: -1 })).toEqual({});
    expect(between({ transactions: 1, cpu_ms: null })).not.toHaveProperty('pgbouncer_cpu_cores');
    expect(between({ transactions: 0 })).not.toHaveProperty('pgbouncer_wait_per_transaction_ms');
  });

  it('is absent where no variant has one', async () => {
    const context = { postgres: null, generatorPid: 1, samplesFolder: '/nowhere', onWarning: () => {} };
    expect(await pgBouncer.open(context)).toEqual({
      name: 'pgbouncer',
      absent: 'no variant has a PgBouncer before its database',
    });
  });
});
