import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectableAfter, lastRun } from '../../src/cli/last-run.ts';

const machine = { cpuModel: 'Some CPU', cpuCount: 2, memoryBytes: 8e9 };
let results = '';

beforeEach(() => {
  results = mkdtempSync(join(tmpdir(), 'pgsweep-results-'));
});
afterEach(() => rmSync(results, { recursive: true }));

function write(name: string, summary: unknown): void {
  mkdirSync(join(results, name));
  writeFileSync(join(results, name, 'summary.json'), typeof summary === 'string' ? summary : JSON.stringify(summary));
}

function summary(
  day: number,
  scenario = 'pool-size',
  minimumDetectablePercent: number | null = day,
  provenance = machine,
) {
  const run = { scenario, rounds: 6, startedAt: `2026-01-0${day}T10:00:00.000Z` };
  return { version: 2, run, session: { minimumDetectablePercent }, provenance };
}

describe('the last run', () => {
  it('is the newest one on this machine, of the same scenario before all others', () => {
    write('z', summary(1));
    write('b', summary(2));
    write('c', summary(3, 'another'));
    expect(lastRun(results, 'pool-size', machine)).toEqual({
      folder: join(results, 'b'),
      scenario: 'pool-size',
      rounds: 6,
      detectablePercent: 2,
    });
    expect(lastRun(results, 'third', machine)?.folder).toBe(join(results, 'c'));
  });

  it('is none of another machine, without a known noise, of another version, or cut off', () => {
    write('other', summary(1, 'pool-size', 1, { ...machine, cpuCount: 8 }));
    write('quick', summary(2, 'pool-size', null));
    write('old', { ...summary(3), version: 1 });
    write('broken', '{"version": 2');
    mkdirSync(join(results, 'empty'));
    expect(lastRun(results, 'pool-size', machine)).toBeNull();
    expect(lastRun(join(results, 'nowhere'), 'pool-size', machine)).toBeNull();
  });

  it('tells what more rounds will see: a quarter of the rounds, twice the effect', () => {
    const last = { folder: '', scenario: '', rounds: 4, detectablePercent: 5 };
    expect(detectableAfter(last, 4)).toBeCloseTo(5, 9);
    expect(Math.log1p(detectableAfter(last, 16) / 100)).toBeCloseTo(Math.log(1.05) / 2, 9);
  });
});
