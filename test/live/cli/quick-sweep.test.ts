import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { loadSize } from '../../../src/journal/load-level.ts';
import { allMetrics } from '../../../src/judge/read/metrics/work-metrics.ts';
import type { Summary } from '../../../src/judge/summary.ts';
import { type CliResult, clonedBin, exitCodeOf, startCli } from '../../cli/cli.ts';
import { untilNothingIsLeft } from '../../cli/left-overs.ts';

let folder: string;
let run: string;
let swept: CliResult;
let summary: Summary;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
  run = join(folder, 'run');
  swept = await startCli(['sweep', '--quick', '--out', run, '--seed', '7'], { bin: clonedBin }).done;
  summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a whole quick sweep of the document service', () => {
  it('gives the tables and the run folder, and leaves nothing running', async () => {
    const { code, out, err } = swept;
    expect(code, err).toBe(exitCodeOf(run));
    expect(out).toContain('for trying things out: no verdicts');
    expect(err).toMatch(/round 1 done in/);
    expect(readdirSync(run).sort()).toEqual(
      [
        'averages.csv',
        'charts',
        'deltas.csv',
        'journal.jsonl',
        'logs',
        'metrics.csv',
        'report.html',
        'report.md',
        'run.json',
        'samples',
        'summary.json',
      ].sort(),
    );
    expect(JSON.parse(readFileSync(join(run, 'run.json'), 'utf8'))).toMatchObject({
      seed: 7,
      plan: { arms: 5 },
      provenance: { dataset: { documents: 2000 }, stack: 'embedded' },
    });
    await untilNothingIsLeft();
  });

  it('compares every variant at every load, and gives no verdict', () => {
    expect(summary.run).toMatchObject({ quick: true, rounds: 1, seed: 7, complete: true, stopReason: 'quick' });
    // Three variants against the control, three load levels.
    expect(summary.comparisons).toHaveLength(3 * 3 * allMetrics.length);
    const { records } = readJournal(join(run, 'journal.jsonl'));
    expect([...records].filter(({ type }) => type === 'slice')).toHaveLength(15);
    const decided = summary.comparisons.filter(
      ({ verdict, interval }) => !['noise', 'unfit'].includes(verdict) || interval !== null,
    );
    expect(decided).toEqual([]);
    const headline = summary.comparisons.filter(({ metric }) => metric === 'requests_per_s');
    const cells = headline.map(({ variant, load }) => `${variant} at ${loadSize(load)}`);
    expect(new Set(cells).size).toBe(9);
    expect(cells).toEqual(expect.arrayContaining(['pool=25 at 1', 'pool=35 at 25', 'pool=50 at 50']));
    // A slice may be void on a busy machine: then its cell has no number, and every other one has.
    const isMeasured = (variant: string, connections: number): boolean =>
      summary.averages.some(
        (row) => row.variant === variant && !row.repeat && loadSize(row.load) === connections && row.rounds > 0,
      );
    for (const { variant, load, value, control, deltaPercent } of headline) {
      const both = isMeasured(variant, loadSize(load)) && isMeasured('pool=10', loadSize(load));
      expect([variant, loadSize(load), deltaPercent !== null]).toEqual([variant, loadSize(load), both]);
      if (both) expect(Math.min(Number(value), Number(control))).toBeGreaterThan(0);
    }
  });

  it('samples pg_stat_database of every arm', () => {
    const samples = readFileSync(join(run, 'samples', 'pg_stat_database.csv'), 'utf8')
      .trim()
      .split('\n');
    expect(samples[0]).toBe(
      'at,round,arm,slice,slice_arm,load_s,xact_commit,xact_rollback,blks_read,blks_hit,tup_returned,tup_fetched,tup_inserted,tup_updated,tup_deleted',
    );
    expect(samples.length).toBeGreaterThan(15);
    // Four variants, and the control a second time.
    expect(new Set(samples.slice(1).map((line) => line.split(',')[2])).size).toBe(5);
  });
});
