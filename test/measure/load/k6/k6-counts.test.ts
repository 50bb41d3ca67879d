import { describe, expect, it } from 'vitest';
import { createK6Counts } from '../../../../src/measure/load/k6/k6-counts.ts';

const window = { fromMs: 100, toMs: 2100 };

describe('what k6 tells besides requests', () => {
  it('is counted in the part that counts', () => {
    const counts = createK6Counts(['http_req_duration', 'checks']);
    for (const atMs of [50, 100, 1000, 2099, 2100])
      counts.count({ kind: 'iterations', count: 1, atMs: 0 }, atMs, window);
    counts.count({ kind: 'iteration-time', durationMs: 40, atMs: 1200 }, 200, window);
    counts.count({ kind: 'dropped', count: 4, atMs: 1200 }, 200, window);
    for (const passed of [true, true, true, false])
      counts.count({ kind: 'check', name: 'ten items', passed, atMs: 1200 }, 200, window);
    counts.turnEnded(1, ['http_req_duration']);
    expect(counts.result(2000)).toEqual({
      probe: 'k6',
      values: {
        k6_iterations_per_s: 1.5,
        k6_iteration_mean_ms: 40,
        k6_iteration_p95_ms: expect.closeTo(40, 1),
        k6_dropped_iterations_per_s: 2,
        k6_checks_failed_percent: 25,
        k6_exceptions: 1,
        'k6_threshold_crossed{http_req_duration}': 1,
        'k6_threshold_crossed{checks}': 0,
        'k6_check_failed_percent{ten items}': 25,
      },
    });
  });

  it('has metrics of the script itself by what they are', () => {
    const counts = createK6Counts([]);
    for (const [name, type, isTime] of [
      ['orders', 'counter', false],
      ['stock', 'gauge', false],
      ['found', 'rate', false],
      ['wait', 'trend', true],
      ['size', 'trend', false],
      ['never', 'trend', false],
    ] as const)
      counts.count({ kind: 'metric', name, type, isTime }, null, window);
    for (const [name, value] of [
      ['orders', 3],
      ['stock', 9],
      ['stock', 7],
      ['found', 1],
      ['found', 0],
      ['wait', 10],
      ['wait', 30],
      ['size', 4],
      ['unknown', 4],
    ] as const)
      counts.count({ kind: 'value', name, value, atMs: 1200 }, 200, window);
    expect(counts.result(2000).values).toMatchObject({
      k6_orders_per_s: 1.5,
      k6_stock: 7,
      k6_found_percent: 50,
      k6_wait_mean_ms: 20,
      k6_wait_p95_ms: expect.closeTo(30, 1),
      k6_size_mean: 4,
    });
    expect(Object.keys(counts.result(2000).values).join()).not.toMatch(/never|unknown/);
  });
});
