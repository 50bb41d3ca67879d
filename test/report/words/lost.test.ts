import { describe, expect, test } from 'vitest';
import type { VoidReason } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { parseGate } from '../../../src/judge/verdicts/gate.ts';
import { decideStop } from '../../../src/judge/verdicts/stop-rule.ts';
import { documentOf } from '../../../src/report/document.ts';
import { verdictTable } from '../../../src/report/tables/verdict-table.ts';
import { foundWords } from '../../../src/report/words/gate-words.ts';
import { adviceWords } from '../../../src/report/words/recommendation.ts';
import { failing } from '../../judge/failing-variant.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { judged } from '../../judge/judged.ts';

const firstOf = (options: FixtureOptions) => documentOf(judged(options)).first;

describe('a variant whose slices are all discarded', () => {
  const first = firstOf(failing);

  test('stands first in the answer, with the reason, and not among what is unclear', () => {
    expect(first.decision).toMatch(
      /^e failed: all 16 slices were discarded, since 100 % of requests failed \(mostly 500\); [^;]* of 4 changes /,
    );
    expect(first.decision).not.toContain('4 of 4');
  });

  test('has a sign in the table of changes that its key explains', () => {
    expect(first.matrix?.rows.find(([name]) => name?.text === 'e')?.map(({ text }) => text)).toEqual([
      'e',
      'n/a [!]',
      'n/a [!]',
    ]);
    expect(first.matrix?.notes[0]).toMatch(/; \? not known; \[!\] more requests failed\.$/);
    expect(firstOf({ ...failing, failures: () => ({}), voided: () => [] }).matrix?.notes[0]).toMatch(
      /; \? not known\.$/,
    );
  });

  test('is not called noise under the table of verdicts', () => {
    const { notes } = verdictTable(judged(failing)) ?? {};
    expect(notes).toBeDefined();
    expect(notes?.filter((note) => note.includes('noise'))).toEqual([]);
  });

  test('has the next step that helps against the reason', () => {
    expect(first.next[0]).toEqual({
      text: expect.stringMatching(/^e: Statuses under the averages show what failed\. .* Then measure again$/),
      command: 'pgsweep sweep /repo/scenarios/pool-size.yaml',
    });
  });

  test('is first in the sentence of each load level, and gates say why there is no number', () => {
    const gates = [parseGate('rps > -5%'), parseGate('p99_ms < +10%')];
    const summary = summarize(fixtureJournal(failing), undefined, { gates, unclear: 'fail' });
    expect(documentOf(summary).headline[0]).toMatch(/^1 connection: e: n\/a \(discarded: failed requests\); /);
    const own = summary.gates.filter(({ variant }) => variant === 'e').map(foundWords);
    expect([...new Set(own)]).toEqual(['n/a: discarded (failed requests)']);
    expect(own).toHaveLength(4);
  });
});

test('a variant that fails under some load levels is named with them, and compared under the others', () => {
  const { decision } = firstOf({
    ...failing,
    effect: ({ variant }) => (variant === 'e' ? 0.3 : 0),
    voided: ({ variant, connections }) => (variant === 'e' && connections === 25 ? ['failed requests'] : []),
    failures: ({ variant, connections }, requests) =>
      variant === 'e' && connections === 25 ? { statuses: { 500: requests } } : {},
  });
  expect(decision).toMatch(
    /^e failed at 25 connections: all 8 slices were discarded, since 100 % .*; e .*is .* faster .* at 1 connection/,
  );
  expect(decision).not.toMatch(/e [^;]*unclear/);
});

test('without failures it has no numbers, for another reason', () => {
  const { decision, next } = firstOf({
    ...failing,
    failures: () => ({}),
    voided: ({ variant }) => (variant === 'e' ? ['generator busy'] : []),
  });
  expect(decision).toMatch(/^e has no numbers: all 16 slices were discarded \(generator busy\); /);
  expect(next[0]?.text).toMatch(/^e: Use fewer load\.connections/);
});

test('a control that fails is named first, with what helps: the session is fit where it is few of all slices', () => {
  const variants = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
  const { decision, next } = firstOf({
    ...failing,
    variants,
    failures: ({ variant }, requests) => (variant === 'a' ? { statuses: { 500: requests } } : {}),
    voided: ({ variant }) => (variant === 'a' ? ['failed requests'] : []),
  });
  expect(decision).toMatch(
    /^a failed: all 32 slices were discarded, since 100 % of requests failed \(mostly 500\); all 10 changes are unclear/,
  );
  expect(next[0]).toEqual({
    text: expect.stringMatching(/^a: Statuses under the averages show what failed\. .* Then measure again$/),
    command: 'pgsweep sweep /repo/scenarios/pool-size.yaml',
  });
});

describe('a setting without numbers, where the question is which to take', () => {
  const variants = ['pool=5', 'pool=10', 'pool=25', 'pool=35', 'pool=50'];
  const asked: FixtureOptions = { ...failing, variants, control: 'pool=10', failures: () => ({}), question: 'best' };
  const lost = (why: VoidReason, ...loads: readonly number[]): FixtureOptions => ({
    ...asked,
    voided: ({ variant, connections }) => (variant === 'pool=50' && loads.includes(connections) ? [why] : []),
  });
  const calmer = /decide which setting to take; a calmer machine/;

  test('is one that no round decides, and is named', () => {
    const own = lost('long answers', 1, 25);
    const { decision, next } = firstOf(own);
    expect(decision).toBe('Cannot be decided: 50 has no verdict that more rounds would bring (1 and 25 connections).');
    expect(next[0]?.text).toMatch(/^pool=50: /);
    expect(next.filter(({ text }) => calmer.test(text))).toEqual([]);
    expect(decideStop(fixtureJournal(own))).toMatchObject({ stop: true, stuck: true });
    // A generator may be busy for a while.
    expect(decideStop(fixtureJournal(lost('generator busy', 1, 25)))).toMatchObject({ stop: false });
  });

  test('is no reason for a calmer machine, where others are open as well', () => {
    const { decision, next } = firstOf({ ...lost('generator busy', 25), rounds: 5, noise: 0.08 });
    expect(decision).toMatch(/^Not decided yet, 5 or one of 4 others: 10 may still be /);
    expect(next[0]?.text).toMatch(/^pool=50: Use fewer load\.connections/);
    expect(next.filter(({ text }) => calmer.test(text))).toEqual([]);
  });
});

test('of many candidates all are counted, and those that may be better stand by their names', () => {
  const levels = [10, 15, 20, 25, 30, 35];
  const summary = judged({
    ...failing,
    variants: levels.map((level) => `pool=${level}`),
    control: 'pool=10',
    question: 'best',
  });
  const [first] = summary.recommendation;
  if (first === undefined) throw new Error('no recommendation');
  const open = {
    ...first,
    state: 'open' as const,
    keep: null,
    candidates: ['pool=10', 'pool=15', 'pool=20', 'pool=25', 'pool=30'] as const,
    against: 'pool=10',
    undecided: ['pool=30'] as const,
    same: [],
    open: [],
    notes: [{ kind: 'rounds-needed', rounds: null, most: 40 }] as const,
  };
  expect(adviceWords(open, summary.run)).toMatch(
    /^not decided yet, 10 or one of 4 others: it is open whether 30 is better than 10 \(/,
  );
});

test('an answer that the scenario expects is not what its requests failed with', () => {
  const { records, ...journal } = fixtureJournal(failing);
  // 45 % of the requests ask for what is not there, as they expect, and the others fail.
  const answered = records.map((record) => {
    if (record.type !== 'slice' || record.variant !== 'e') return record;
    const requests = record.outcomes.statuses['500'] ?? 0;
    const missing = Math.round(0.45 * requests);
    const outcomes = { ...record.outcomes, statuses: { '404': missing, '500': requests - missing } };
    return { ...record, outcomes, whole: outcomes, ok: missing, wholeOk: missing };
  });
  const { decision } = documentOf(summarize({ ...journal, records: answered })).first;
  expect(decision).toMatch(/^e failed: all 16 slices were discarded, since 55 % of requests failed;/);
});
