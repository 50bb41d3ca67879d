import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { databaseColumns } from '../../src/journal/records.ts';
import { writeSliceSamples } from '../../src/report/slice-samples.ts';
import { type FixtureOptions, fixtureJournal } from '../judge/journal-fixture.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-slices-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const small: FixtureOptions = { variants: ['a', 'b'], control: 'a', connections: [25], rounds: 2, unfinishedSlices: 2 };

function written(options: FixtureOptions): Readonly<Record<string, string[]>> {
  writeSliceSamples(folder, fixtureJournal({ ...small, ...options }));
  const samples = join(folder, 'samples');
  return Object.fromEntries(
    readdirSync(samples).map((name) => [name, readFileSync(join(samples, name), 'utf8').trim().split('\n')]),
  );
}

const field = (lines: readonly string[], line: number, column: string): string | undefined =>
  lines[line]?.split(',')[lines[0]?.split(',').indexOf(column) ?? -1];

it('has a row for each slice of a complete round, with its counters and what probes saw', () => {
  const { 'slices.csv': lines = [] } = written({
    probes: ({ variant }) => ({
      processes: { service_cpu_cores: 0.5 },
      ...(variant === 'b' && { network: { loopback_bytes_per_s: 12 } }),
    }),
  });
  expect(lines[0]).toBe(
    `round,slice,arm,variant,load,started_at,voided,ok,window_ms,latency_mean_ms,latency_p50_ms,latency_p95_ms,latency_max_ms,${databaseColumns.join()},requests,service_cpu_ms,postgres_cpu_ms,wal_bytes,counters_load_ms,counters_requests,service_cpu_cores,loopback_bytes_per_s`,
  );
  // Two rounds of a, a again and b; of the third there are two slices, which are nobody's.
  expect(lines).toHaveLength(1 + 6);
  const of = (variant: string): number => lines.findIndex((_, line) => field(lines, line, 'variant') === variant);
  expect(field(lines, of('a'), 'load')).toBe('25 connections');
  expect(field(lines, of('a'), 'service_cpu_cores')).toBe('0.5');
  expect(field(lines, of('a'), 'loopback_bytes_per_s')).toBe('');
  expect(field(lines, of('b'), 'loopback_bytes_per_s')).toBe('12');
  expect(Number(field(lines, of('b'), 'xact_commit'))).toBeGreaterThan(100);
  expect(Number(field(lines, of('b'), 'latency_mean_ms'))).toBeGreaterThan(0);
});

it('has the rows of a probe in a file of its own, whatever columns each of them has', () => {
  const files = written({
    probes: () => ({ statements: { calls: 2 } }),
    probeRows: () => ({
      statements: [
        { statement: 'SELECT a, "b"', calls: 2 },
        { table: 't', calls: null },
      ],
    }),
  });
  expect(Object.keys(files).sort()).toEqual(['slices.csv', 'statements-rows.csv']);
  const lines = files['statements-rows.csv'] ?? [];
  expect(lines[0]).toBe('round,slice,arm,variant,load,started_at,voided,statement,calls,table');
  expect(lines).toHaveLength(1 + 2 * 6);
  expect(lines[1]).toMatch(/,"SELECT a, ""b""",2,$/);
  expect(lines[2]).toMatch(/,,,t$/);
});

it('has no counters, latencies or rows where there are none, and is written anew', () => {
  const empty: FixtureOptions = {
    perRequest: () => null,
    failures: (_, requests) => ({ statuses: { 500: requests } }),
  };
  expect(written(empty)).toEqual(written(empty));
  const { 'slices.csv': lines = [] } = written(empty);
  expect(field(lines, 1, 'xact_commit')).toBe('');
});
