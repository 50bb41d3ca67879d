import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../src/analysis/summary.ts';
import { readJournal } from '../../src/journal/journal.ts';
import type { CountersRecord, SliceRecord } from '../../src/journal/records.ts';
import { type Measured, measureAtQuiet } from '../fixtures/quiet-machine.ts';
import { type CliResult, cli } from './cli.ts';
import { untilNothingIsLeft } from './left-overs.ts';

let folder: string;
/** The last run's. */
let run: string;
let swept: Measured<CliResult>;
let summary: Summary;
let runs = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
  const sweep = (): Promise<CliResult> => {
    run = join(folder, `run-${runs++}`);
    return cli('sweep', '--quick', '--out', run, '--seed', '7');
  };
  swept = await measureAtQuiet(sweep, ({ code }) => code === 0, 2);
  summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('a whole quick sweep of the document service', () => {
  it('ends well, and its session is fit', ({ skip }) => {
    const { code, err } = swept.found;
    if (swept.disturbed) skip(`other programs keep this machine busy: exit ${code}, ${summary.session.reasons}`);
    expect(code, err).toBe(0);
    expect(summary.session).toMatchObject({ verdict: 'fit', reasons: [] });
    expect(new Set(summary.comparisons.map(({ verdict }) => verdict))).toEqual(new Set(['unclear']));
  });

  it('gives the tables and the run folder, and leaves nothing running', async () => {
    const { out, err } = swept.found;
    expect(out).toContain('It gives no verdicts');
    expect(err).toMatch(/round 1 done in/);
    expect(readdirSync(run).sort()).toEqual(
      [
        'averages.csv',
        'charts',
        'deltas.csv',
        'journal.jsonl',
        'logs',
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
    // Three variants against the control, three load levels, fifteen metrics.
    expect(summary.comparisons).toHaveLength(3 * 3 * 15);
    const decided = summary.comparisons.filter(
      ({ verdict, interval }) => !['unclear', 'invalid'].includes(verdict) || interval !== null,
    );
    expect(decided).toEqual([]);
    const headline = summary.comparisons.filter(({ metric }) => metric === 'requests_per_s');
    expect(headline.map(({ variant }) => variant)).toEqual(expect.arrayContaining(['pool=25', 'pool=35', 'pool=50']));
    expect(
      headline.every(
        ({ value, control, deltaPercent }) => Number(value) > 0 && Number(control) > 0 && deltaPercent !== null,
      ),
    ).toBe(true);
  });

  it('accounts for every transaction of every slice', () => {
    const records = [...readJournal(join(run, 'journal.jsonl')).records];
    const slices = records.filter((record): record is SliceRecord => record.type === 'slice');
    const counters = records.filter((record): record is CountersRecord => record.type === 'counters');
    expect(slices).toHaveLength(15);
    expect(counters).toHaveLength(15);
    for (const { slice, delta } of counters) {
      const whole = slices.find((record) => record.slice === slice)?.whole;
      const acknowledged = (whole?.statuses['200'] ?? 0) + (whole?.statuses['201'] ?? 0);
      // A write is one transaction: every acknowledged one is in the counters, and hardly anything else is.
      expect(delta.xact_commit).toBeGreaterThanOrEqual(acknowledged);
      expect(delta.xact_commit).toBeLessThan(acknowledged * 1.02 + 60);
    }
    const samples = readFileSync(join(run, 'samples', 'pg_stat_database.csv'), 'utf8')
      .trim()
      .split('\n');
    expect(samples[0]).toBe(
      'at,round,arm,slice,slice_arm,xact_commit,xact_rollback,blks_read,blks_hit,tup_returned,tup_fetched,tup_inserted,tup_updated,tup_deleted',
    );
    expect(samples.length).toBeGreaterThan(15);
  });
});
