import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ProbeRecord } from '../../../src/journal/records.ts';
import { mayBeValue } from '../../../src/measure/probe/registry.ts';

const recorded = ['test/fixtures/probe-records.jsonl', 'docs/examples/pool-size-run/journal.jsonl'];

it('every value that probes recorded is known by its name', () => {
  const names = recorded
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line.startsWith('{"type":"probe"'))
    .flatMap((line) => Object.keys((JSON.parse(line) as ProbeRecord).values));
  expect(new Set(names).size).toBeGreaterThan(100);
  expect([...new Set(names)].filter((name) => !name.includes('{') && !mayBeValue(name, undefined))).toEqual([]);
});

it('a value of a metric that the scenario names is known, and one of no metric is not', () => {
  const metrics = { path: '/metrics', include: ['notifications_total', 'store_*', 'queue_wait_seconds'] };
  const known = ['notifications_per_s', 'store_items_max', 'queue_wait_p99_ms', 'queue_wait_per_s'];
  expect(known.filter((name) => !mayBeValue(name, metrics))).toEqual([]);
  expect(known.filter((name) => mayBeValue(name, undefined))).toEqual([]);
  expect(['bogus', 'p95', 'event_loop_lag_bogus'].filter((name) => mayBeValue(name, metrics))).toEqual([]);
});
