import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

const scenario = (load: string, requests = 'requests: [{ path: / }]') =>
  parseScenario(
    `title: t\ntarget: { url: "http://127.0.0.1:1" }\nvariants: { a: {} }\ncontrol: a\nload: { ${load}, ${requests} }\n`,
    't.yaml',
  );

describe('load.capacity', () => {
  it('is the question, and leaves levels to be found', () => {
    const { load } = scenario(
      'capacity: { connections: 10..2000, until: { p95_ms: 200ms, failed: 1%, service_cpu: 85% } }',
    );
    expect(load.levels).toEqual([]);
    expect(load.capacity).toEqual({
      of: 'connections',
      from: 10,
      to: 2000,
      until: [
        { metric: 'p95_ms', most: 200 },
        { metric: 'failed', most: 0.01 },
        { metric: 'service_cpu', most: 0.85 },
      ],
    });
    // However many fail, the slice tells how many.
    expect(load.maxFailedPercent).toBe(100);
    expect(load.autoSlice).toBeUndefined();
  });

  it('takes bare numbers in the unit of the metric, of failures in percent', () => {
    const { load } = scenario(
      'capacity: { connections: 1..20, until: { p99_ms: 2s, failed: 0.5, event_loop_lag_p99_ms: 30 } }',
    );
    expect(load.capacity?.until.map(({ most }) => most)).toEqual([2000, 0.005, 30]);
  });

  it('takes a limit only in a unit that its metric may have', () => {
    const limits = (until: string) => scenario(`capacity: { connections: 1..20, until: { ${until} } }`).load.capacity;
    const place = 'load.capacity.until.';
    expect(() => limits('p95_ms: 20%')).toThrow(`${place}p95_ms: expected a time such as 200, 200ms or 2s`);
    expect(() => limits('event_loop_lag_p99_ms: 5%')).toThrow(`${place}event_loop_lag_p99_ms: expected a time`);
    expect(() => limits('service_cpu: 200ms')).toThrow(
      `${place}service_cpu: expected CPUs such as 1.7, or a percentage of one such as 85%`,
    );
    expect(() => limits('machine_cpu_share: 2s')).toThrow(`${place}machine_cpu_share: expected a number or a perc`);
    const most = limits('active_ms_per_transaction: 2s, service_cpu: 1.7, machine_cpu_share: 5%')?.until;
    expect(most?.map((limit) => limit.most)).toEqual([2000, 1.7, 0.05]);
  });

  it('of users has slices in which they come to a steady state', () => {
    const asked = 'capacity: { users: 10..2000, until: { p95_ms: 200 } }';
    const { load } = scenario(asked, 'script: [{ path: /, think: 2s }]');
    expect(load).toMatchObject({
      levels: [],
      capacity: { of: 'users', from: 10, to: 2000 },
      sliceMs: 20_000,
      leastSliceMs: 20_000,
      dropMs: 2000,
    });
    expect(load.warmupRequests).toBeUndefined();
    expect(scenario(`${asked}, slice: 8s`, 'script: [{ path: /, think: 2s }]').load.sliceMs).toBe(8000);
    expect(scenario(asked, 'script: [{ path: / }]').load.sliceMs).toBe(5000);
    expect(() => scenario(asked)).toThrow('load.capacity.users: expected load.script, which says what they do');
    expect(() => scenario(`${asked}, turn: 500ms`, 'script: [{ path: / }]')).toThrow('has whole slices');
    expect(() => scenario(`${asked}, users: 5`, 'script: [{ path: / }]')).toThrow('finds its load levels itself');
  });

  it.each([
    ['capacity: { connections: 10..2000, until: {} }', 'until: expected a limit'],
    ['capacity: { until: { p95_ms: 200 } }', 'expected one of connections, rate, users'],
    ['capacity: { connections: 1..9, rate: 1..9, until: { p95_ms: 200 } }', 'not both'],
    ['capacity: { connections: 200..10, until: { p95_ms: 200 } }', 'the smaller end first'],
    ['capacity: { connections: 1.5..10, until: { p95_ms: 200 } }', 'whole numbers'],
    ['capacity: { connections: 10, until: { p95_ms: 200 } }', 'expected a range such as 10..2000'],
    ['capacity: { connections: 1..9, until: { p95: 5 } }', 'unknown metric "p95": expected mean_ms, p50_ms, p95_ms,'],
    ['capacity: { connections: 1..9, until: { p95: 5 } }', '(did you mean "p95_ms"?)'],
    ['capacity: { connections: 1..9, until: { bogus: 5 } }', 'or a value under What probes saw in report.md'],
    ['capacity: { connections: 1..9, until: { p95_ms: 0 } }', 'expected a limit above 0'],
    ['capacity: { connections: 1..9, until: { p95_ms: 200 } }, connections: 5', 'finds its load levels itself'],
  ])('says what is wrong with %s', (load, why) => {
    expect(() => scenario(load)).toThrow(why);
  });

  it.each([
    ['app_held', '; usual values of app_held are app_held_mean, app_held_max'],
    ['app_hld', '; usual values of app_held are app_held_mean, app_held_max'],
    ['queue_wait_seconds', '; usual values of queue_wait_seconds are queue_wait_mean_ms, queue_wait_p99_ms'],
    ['hits_total', '; usual values of hits_total are hits_per_s'],
    ['app_held_men', '(did you mean "app_held_mean"?)'],
  ])('says which values a metric has that target.metrics names: %s', (metric, expected) => {
    const read = (name: string) =>
      parseScenario(
        `target: { command: a, metrics: { include: [app_held, queue_wait_seconds, hits_total, store_*] } }\nvariants: { a: {} }\ncontrol: a\nload: { capacity: { connections: 1..9, until: { ${name}: 5 } }, requests: [{ path: / }] }\n`,
        't.yaml',
      );
    expect(() => read(metric)).toThrow(expected);
    for (const value of expected.match(/\w+_(mean|max|p99|per)\w*/g) ?? []) expect(() => read(value)).not.toThrow();
  });
});
