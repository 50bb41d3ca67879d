import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { loadSize } from '../../src/journal/load-level.ts';
import type { Summary } from '../../src/judge/summary.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../judge/journal-fixture.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-gates-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** b is 18 % slower than a, c the same. */
const slower: FixtureOptions = {
  variants: ['a', 'b', 'c'],
  control: 'a',
  connections: [1, 25],
  rounds: 5,
  noise: 0.006,
  effect: ({ variant }) => (variant === 'b' ? -0.2 : 0),
};
const recorded = (name: string): string => join(folder, name);
const summaryOf = (name: string): Summary => JSON.parse(readFileSync(join(recorded(name), 'summary.json'), 'utf8'));

/** In this thread, which is quicker; the usual way is tried once. */
const judged = (...args: string[]) => run('report', '--no-limits', ...args);

function record(name: string, options: FixtureOptions): void {
  const { run: head, records } = fixtureJournal(options);
  const path = recorded(name);
  mkdirSync(path);
  const journal = openJournal(join(path, 'journal.jsonl'));
  for (const one of [head, ...records]) journal.append(one);
  journal.close();
}

beforeAll(() => {
  record('slower', slower);
  record('few', { ...slower, rounds: 3 });
  const voided: FixtureOptions['voided'] = ({ connections }) => (connections === 25 ? ['failed requests'] : []);
  record('half', { ...slower, connections: [1, 25], voided });
  record('unfit', { ...slower, ...unfitOptions });
});

describe('report with gates', () => {
  it('that pass ends with 0, and says so in every report', async () => {
    const { code, out, err } = await run(
      'report',
      recorded('slower'),
      '--gate',
      'rps > -5% of c',
      '--gate',
      'p50_ms < +50%',
    );
    expect(code).toBe(0);
    expect(out).toContain('Gate rps > -5% of c passes for all 2.');
    expect(out).toContain('Gate p50_ms < +50% passes for all 4.');
    expect(err).not.toMatch(/^gate /m);
    expect(readFileSync(join(recorded('slower'), 'report.md'), 'utf8')).toContain(
      'Gate rps > -5% of c passes for all 2.',
    );
    expect(summaryOf('slower').gates.map(({ outcome, failed }) => [outcome, failed])).toEqual(
      Array.from({ length: 6 }, () => ['pass', false]),
    );
  });

  it('that fail ends with 4, and names variant, load, interval and limit', async () => {
    const { code, out, err } = await judged(recorded('slower'), '--gate', 'rps > -5%', '--gate-unclear', 'pass');
    expect(code).toBe(4);
    const reasons = err.split('\n').filter((line) => line.startsWith('gate'));
    expect(reasons).toHaveLength(2);
    expect(reasons[0]).toMatch(/^gate rps > -5% fails: b, 1 connection: -1\d\.\d % \[-\d+\.\d, -1\d\.\d\]$/);
    expect(reasons[1]).toContain('fails: b, 25 connections: ');
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /Gate rps > -5% fails for b at 1 connection: .*, b at 25 connections: .*; passes for 2\./,
    );
    const report = readFileSync(join(recorded('slower'), 'report.md'), 'utf8');
    expect(report).toMatch(/\| rps > -5% *\| b *\| 25 connections *\| -1\d/);
  });

  it.each([
    ['fail', 4],
    ['pass', 0],
  ] as const)('that are unclear end as is asked for: %s', async (unclear, expected) => {
    const { code, err } = await judged(recorded('few'), '--gate', 'rps > -50%', '--gate-unclear', unclear);
    expect(code).toBe(expected);
    expect(err).toMatch(
      /^gate rps > -50% is unclear.*: b, 1 connection: -1\d\.\d %, no verdict: 3 rounds, verdicts need 4$/m,
    );
    expect(summaryOf('few').gates[0]).toMatchObject({ outcome: 'unclear', failed: unclear === 'fail', interval: null });
  });

  it('that are unclear fail where nothing is said', async () => {
    expect((await judged(recorded('few'), '--gate', 'rps > -50%')).code).toBe(4);
  });

  it('says them in JSON', async () => {
    const { code, out } = await judged(recorded('slower'), '--json', '--gate', 'rps > -5% at 25');
    expect(code).toBe(4);
    const { gates, version } = JSON.parse(out) as Summary;
    expect(version).toBe(2);
    expect(gates.map(({ variant, load, outcome }) => [variant, loadSize(load), outcome])).toEqual([
      ['b', 25, 'fail'],
      ['c', 25, 'pass'],
    ]);
    expect(gates[0]).toMatchObject({
      gate: 'rps > -5% at 25',
      metric: 'requests_per_s',
      limitPercent: -5,
      failed: true,
    });
  });

  it('on the decision stand in JSON, report and exit code as others do', async () => {
    const passes = await judged(recorded('slower'), '--gate', 'recommended == a');
    expect([passes.code, passes.out]).toEqual([0, expect.stringContaining('Gate recommended == a passes for all 2.')]);
    const { code, out, err } = await judged(recorded('slower'), '--json', '--gate', 'recommended == b at 25');
    expect(code).toBe(4);
    expect(err).toContain('gate recommended == b at 25 fails: 25 connections: a is recommended');
    const { gates } = JSON.parse(out) as Summary;
    expect(gates).toMatchObject([{ kind: 'decision', variant: 'b', outcome: 'fail', failed: true, recommended: 'a' }]);
    expect(readFileSync(join(recorded('slower'), 'report.md'), 'utf8')).toMatch(
      /\| recommended == b at 25 *\| b *\| 25 connections *\| a is recommended *\| fail/,
    );
  });

  it('judges an exported run, too', async () => {
    const { code, out, err } = await judged(recorded('slower'), '--export', 'benchstat', '--gate', 'rps > -5%');
    expect(code).toBe(4);
    expect(out).toMatch(/^scenario: /);
    expect(err).toContain('gate rps > -5% fails: b, 25 connections');
  });

  it('an unfit session is unfit first', async () => {
    const { code, err } = await judged(recorded('unfit'), '--gate', 'rps > -5%');
    expect(code).toBe(3);
    expect(err).toContain('gate rps > -5% is unclear: b, 1 connection');
    expect(err).toContain('unfit: no verdict');
  });

  it('a gate on an unfit load level ends with 3, one on another level by what it finds', async () => {
    const [unfit, fit] = [
      await judged(recorded('half'), '--gate', 'rps > -50% at 25'),
      await judged(recorded('half'), '--gate', 'rps > -50% at 1'),
    ];
    expect([unfit.code, fit.code]).toEqual([3, 0]);
  });

  it('leaves no trace in the recorded run: judged without gates it has none', async () => {
    const before = readFileSync(join(recorded('slower'), 'journal.jsonl'), 'utf8');
    await judged(recorded('slower'), '--gate', 'rps > -5%');
    expect(readFileSync(join(recorded('slower'), 'journal.jsonl'), 'utf8')).toBe(before);
    const { code, out } = await judged(recorded('slower'));
    expect(code).toBe(0);
    expect(out).not.toContain('Gate');
    expect(summaryOf('slower').gates).toEqual([]);
  });
});

describe('a gate that is none', () => {
  it.each([
    [['sweep', '--out', recorded('made'), '--gate', 'p999_ms < +10%'], /no metric p999_ms.*\nDid you mean p99_ms\?/],
    [
      ['sweep', '--out', recorded('made'), '--gate', 'rps > -5% of pool=26'],
      /no variant pool=26.*\nDid you mean pool=25\?/,
    ],
    [
      ['sweep', '--out', recorded('made'), '--gate', 'rps > -5% of pool=10'],
      /pool=10 is the control, which has no change\nEvery gate compares with it/,
    ],
    [['sweep', '--resume', recorded('slower'), '--gate', 'rps > -5% at 26'], /no load level 26/],
    [['report', '--no-limits', recorded('slower'), '--gate', 'rps > -5% at 26'], /no load level 26/],
    [['report', recorded('slower'), '--gate', 'rps'], /"rps" is no gate/],
    [['report', recorded('slower'), '--gate', 'recommended >= a'], />= cannot stand after recommended/],
    [['sweep', '--out', recorded('made'), '--gate', 'recommended == 26'], /no setting 26.*\nDid you mean 25\?/],
    [['tune', '--out', recorded('made'), '--gate', 'rps > -5%'], /a search \(tune\) chooses its own settings/],
    [
      ['sweep', 'scenarios/version-comparison-unbounded.yaml', '--out', recorded('made'), '--gate', 'rps > -5%'],
      /"rps > -5%": a run with load\.capacity/,
    ],
    [['report', recorded('slower'), '--gate-unclear', 'maybe'], /Allowed choices are fail, pass/],
  ])('is told before anything starts: %j', async (args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(existsSync(recorded('made'))).toBe(false);
  });
});
