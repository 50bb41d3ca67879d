import { describe, expect, test } from 'vitest';
import { loadKey, underLoad } from '../../../src/journal/load-level.ts';
import type { EndRecord, JournalRecord } from '../../../src/journal/records.ts';
import { judgedOf } from '../../../src/judge/judged-view.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { createStopRule, decideStop, type StopOptions } from '../../../src/judge/verdicts/stop-rule.ts';
import { type FixtureJournal, type FixtureOptions, fixtureJournal } from '../journal-fixture.ts';

/** Pools from 5 on, in steps of 5. */
const pools = (count: number): string[] => Array.from({ length: count }, (_, i) => `pool=${5 * (i + 1)}`);
const light: FixtureOptions = { requestsPerSecond: 30, windowMs: 1000, rounds: 9, connections: [1, 4] };
const named: FixtureOptions = { ...light, variants: ['WHERE', 'RLS', 'RLS in a transaction'], control: 'WHERE' };
const grid: FixtureOptions = { ...light, variants: pools(4), control: 'pool=10' };

/** A fifth slower, as both rivals of a service were that printed an empty list. */
const slower =
  (names: readonly string[]): NonNullable<FixtureOptions['effect']> =>
  ({ variant }) =>
    names.includes(variant) ? -0.22 : 0;
const largerAreWorse: NonNullable<FixtureOptions['effect']> = ({ variant }) =>
  -0.008 * Math.max(0, Number(variant.slice(5)) - 10);

interface Kind {
  readonly name: string;
  readonly options: FixtureOptions;
  readonly stop?: StopOptions;
}

const kinds: readonly Kind[] = [
  { name: 'changes', options: { ...named, noise: 0.02 } },
  { name: 'changes, all lower', options: { ...named, noise: 0.03, effect: slower(['RLS', 'RLS in a transaction']) } },
  {
    name: 'best, all rivals lower',
    options: { ...named, question: 'best', noise: 0.03, effect: slower(['RLS', 'RLS in a transaction']) },
  },
  { name: 'best, nothing differs', options: { ...grid, noise: 0.02 } },
  { name: 'best, larger ones are worse', options: { ...grid, noise: 0.02, effect: largerAreWorse } },
  { name: 'best, rough', options: { ...grid, noise: 0.06 } },
  { name: 'best and settle all', options: { ...grid, noise: 0.02 }, stop: { all: true } },
  { name: 'best, one rival', options: { ...grid, variants: pools(2), noise: 0.025 } },
  {
    name: 'best, twenty',
    options: { ...grid, variants: pools(20), connections: [4], rounds: 7, noise: 0.02, effect: largerAreWorse },
  },
  {
    name: 'best, one fails',
    options: {
      ...grid,
      noise: 0.02,
      failures: ({ variant }, requests) =>
        variant === 'pool=5' ? { statuses: { 500: Math.round(requests / 5) } } : {},
    },
  },
  { name: 'quick', options: { ...grid, quick: true, rounds: 1 } },
];

const byRate = (summary: Summary, load: Summary['run']['loads'][number]) =>
  underLoad(summary.comparisons, load).filter(({ metric }) => metric === judgedOf(summary.run).name);

/** The run as it would have ended: where the rule stopped it, else by its budget. */
function ended({ name: _, options, stop = {} }: Kind, seed: number) {
  const journal = fixtureJournal({ ...options, seed, end: null });
  const rule = createStopRule(journal.run, stop);
  const seen: JournalRecord[] = [];
  let isAnswered = false;
  let isStuck = false;
  for (const records of byRound(journal)) {
    seen.push(...records);
    const decision = rule.after(records);
    isStuck = decision.stuck === true;
    isAnswered = decision.stop;
    if (isAnswered) break;
  }
  const reason = options.quick ? 'quick' : !isAnswered ? 'budget' : isStuck ? 'stuck' : 'verdicts';
  const end: EndRecord = { type: 'end', at: '', reason };
  return {
    isAnswered: isAnswered && !isStuck,
    records: seen,
    journal,
    summary: summarize({ ...journal, records: [...seen, end] }),
  };
}

function byRound({ records }: FixtureJournal): JournalRecord[][] {
  const ends = records.flatMap(({ type }, i) => (type === 'round' ? [i + 1] : []));
  return ends.map((end, i) => records.slice(ends[i - 1] ?? 0, end));
}

/** What no report may print side by side, on the facts that its sentences are made of. */
function expectNoContradiction(summary: Summary): void {
  for (const one of summary.recommendation) {
    const compared = [...one.slower, ...one.notBetter].map(({ variant }) => variant);
    // A setting is in one list: known to be worse, or no better, or open.
    expect(one.undecided.filter((variant) => compared.includes(variant))).toEqual([]);
    if (one.state === 'open' || one.state === 'stuck') {
      expect(one.undecided.length).toBeGreaterThan(0);
      expect(one.candidates).toContain(one.against);
    }
    if (one.state !== 'decided') continue;
    expect(one.failing).not.toContain(one.keep);
    // One bound of one thing: the ends of intervals that are shown beside it are no further out.
    if (one.keep !== summary.run.control || one.othersBetterPercent === null) continue;
    for (const { verdict, interval, variant } of byRate(summary, one.load)) {
      if (interval === null || one.failing.includes(variant) || !['higher', 'same'].includes(verdict)) continue;
      expect(interval[1]).toBeLessThanOrEqual(one.othersBetterPercent + 0.01);
    }
  }
}

describe.each(kinds)('a run: $name', (kind) => {
  test.each([1, 2])('never ends as answered with something open, nor contradicts itself (seed %i)', (seed) => {
    const { isAnswered, summary, records, journal } = ended(kind, seed);
    expectNoContradiction(summary);
    // The stop rule and the report see the same load levels as open.
    const { choices = [] } = decideStop({ run: journal.run, records }, kind.stop);
    const now = summarize({ ...journal, records });
    if (summary.run.question === 'best' && !summary.run.quick) {
      const open = now.recommendation.filter(({ state }) => state === 'open');
      expect(choices.map(({ load }) => loadKey(load))).toEqual(open.map(({ load }) => loadKey(load)));
    }
    if (!isAnswered) return;
    if (summary.run.question === 'best')
      expect(summary.recommendation.filter(({ state }) => state === 'open' || state === 'stuck')).toEqual([]);
    if (summary.run.question !== 'best' || kind.stop?.all)
      expect(
        summary.run.loads.flatMap((load) => byRate(summary, load)).filter(({ verdict }) => verdict === 'noise'),
      ).toEqual([]);
  });
});

test('where all rivals are lower it is decided after four rounds, and nothing is said to be open', () => {
  const effect = slower(['RLS', 'RLS in a transaction']);
  const journal = fixtureJournal({ ...named, question: 'best', rounds: 4, noise: 0.03, effect, end: null });
  expect(decideStop(journal)).toMatchObject({ stop: true, undecided: 0, choices: [] });
  for (const one of summarize(journal).recommendation)
    expect(one).toMatchObject({ state: 'decided', keep: 'WHERE', asGood: [], undecided: [] });
});

test('a run that was resumed after its budget had ended it contradicts itself no more', () => {
  const options: FixtureOptions = { ...grid, noise: 0.02, effect: largerAreWorse, end: null };
  const [first = [], ...others] = byRound(fixtureJournal(options));
  const journal = fixtureJournal(options);
  const end: EndRecord = { type: 'end', at: '', reason: 'budget' };
  const resumed = summarize({
    ...journal,
    records: [...first, ...others.slice(0, 4).flat(), end, ...others.slice(4).flat()],
  });
  expectNoContradiction(resumed);
});
