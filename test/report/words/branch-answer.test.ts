import { describe, expect, it } from 'vitest';
import type { Against } from '../../../src/journal/run/against-record.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { againstLines } from '../../../src/report/words/against.ts';
import { branchWork } from '../../../src/report/words/branch-answer.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../../judge/journal-fixture.ts';

const against: Against = {
  refs: ['main'],
  carry: ['/items/.env'],
  own: [],
  taken: {
    repository: '/items',
    commits: [{ ref: 'main', commit: 'a1b2c3d4e5f6', at: 'merge base', folder: '/cache/main/tree' }],
    work: { commit: 'f6e5d4c3b2a1', changed: 3, removed: 0, added: 1, folder: '/cache/branch/tree' },
    schemaFiles: [],
  },
};

/** The summary of a folder against main. */
function summaryOf(options: FixtureOptions): Summary {
  const journal = fixtureJournal({
    variants: ['main', 'branch'],
    control: 'main',
    question: 'changes',
    noise: 0.003,
    ...options,
  });
  return summarize({ ...journal, run: { ...journal.run, scenario: { ...journal.run.scenario, against } } });
}

const decisionOf = (options: FixtureOptions): string | null => documentOf(summaryOf(options)).first.decision;

/** A service whose requests run these statements so often, at 240 requests a slice. */
const asking = (before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>): FixtureOptions => {
  const of = (variant: string) => Object.entries(variant === 'branch' ? now : before);
  const calls = (variant: string): number => of(variant).reduce((sum, [, times]) => sum + 240 * times, 0);
  return {
    probes: ({ variant }) => ({ 'pg-stat-statements': { statement_calls: calls(variant) } }),
    probeRows: ({ variant }) => ({
      'pg-stat-statements': of(variant).map(([statement, times]) => ({
        statement,
        calls: 240 * times,
        total_ms: 24 * times,
        rows: 240,
      })),
    }),
  };
};

describe('the first line of a folder against main', () => {
  it('says slower, by how much, and where', () =>
    expect(decisionOf({ connections: [25], effect: ({ variant }) => (variant === 'branch' ? -0.07 : 0) })).toMatch(
      /^Your branch is slower than main: 2xx\/s -[67]\.\d % \[-\d+\.\d, -\d\.\d\] at 25 connections\.$/,
    ));

  it('says faster', () =>
    expect(decisionOf({ connections: [25], effect: ({ variant }) => (variant === 'branch' ? 0.2 : 0) })).toMatch(
      /^Your branch is faster than main: 2xx\/s \+\d+\.\d % \[\+\d+\.\d, \+\d+\.\d\] at 25 connections\.$/,
    ));

  it('says takes more or less, where work per request is judged', () => {
    const said = (walBytes: number): string => {
      const journal = fixtureJournal({
        variants: ['main', 'branch'],
        control: 'main',
        question: 'changes',
        connections: [25],
        work: ({ variant }) => ({ serviceCpuMs: 1, postgresCpuMs: 1, walBytes: variant === 'branch' ? walBytes : 100 }),
      });
      const scenario = { ...journal.run.scenario, against, judge: 'wal_bytes' } as const;
      return documentOf(summarize({ ...journal, run: { ...journal.run, scenario } })).first.decision ?? '';
    };
    expect(said(133)).toMatch(/^Your branch takes more than main: WAL bytes? a request \+3\d\.\d % /);
    expect(said(75)).toMatch(/^Your branch takes less than main: /);
  });

  it('says where it differs and where not', () =>
    expect(
      decisionOf({
        connections: [1, 25],
        effect: ({ variant, connections }) => (variant === 'branch' && connections === 25 ? -0.2 : 0),
      }),
    ).toMatch(
      /^Your branch is slower than main: 2xx\/s -.* at 25 connections, no difference of 5 % or more at 1 connection\.$/,
    ));

  it('says that there is no difference, and of what it knows that', () =>
    expect(decisionOf({ connections: [25] })).toMatch(
      /^No difference of 5 % or more from main \(2xx\/s( and p95)?\)\.$/,
    ));

  it('says what is not known', () =>
    expect(decisionOf({ connections: [25], noise: 0.2 })).toMatch(
      /^Not known whether your branch is slower than main: 2xx\/s .* at 25 connections\.$/,
    ));

  it('says that more requests failed', () =>
    expect(
      decisionOf({
        connections: [25],
        failures: ({ variant }, requests) =>
          variant === 'branch' ? { statuses: { 500: Math.round(requests * 0.008) } } : {},
      }),
    ).toMatch(/ More of its requests failed\.$/));

  it('is not there where nothing could be measured', () =>
    expect(decisionOf({ connections: [25], ...unfitOptions })).toBeNull());
});

describe('the statements of a request', () => {
  it('that are new stand on the first screen before there is any verdict', () => {
    const summary = summaryOf({
      ...asking({ 'SELECT 1': 2 }, { 'SELECT 1': 2, 'SELECT name FROM authors WHERE id = $1': 1 }),
      connections: [25],
      rounds: 1,
      end: null,
    });
    const { first, headline } = documentOf(summary);
    expect(first.verdicts[0]).toBe(branchWork(summary));
    // Of report.html.
    expect(headline[0]).toBe(branchWork(summary));
    expect(branchWork(summary)).toMatch(/, new: SELECT name FROM authors WHERE id = \$1$/);
  });

  // 2.03 and 2.00: of requests that were under way at the edge of a short slice.
  it.each([2, 2.03])('are not named where they are as before, by count: %d', (before) =>
    expect(
      branchWork(summaryOf({ ...asking({ 'SELECT 1': before }, { 'SELECT 1': 2 }), connections: [25] })),
    ).toBeNull(),
  );

  it('are named where there are fewer of the same', () =>
    expect(branchWork(summaryOf({ ...asking({ 'SELECT 1': 2 }, { 'SELECT 1': 1.5 }), connections: [25] }))).toBe(
      'Statements a request 0.20 -> 0.15',
    ));
});

it('both sides are named with what was not committed', () =>
  expect(againstLines({ against })).toEqual([
    'against main at a1b2c3d, where your branch left it (--tip for its newest)',
    'work tree: your branch at f6e5d4c, 3 files changed, 1 new',
    'carried into all sides: .env',
  ]));
