import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { choiceWords } from '../../../src/cli/progress/open-lines.ts';
import { lastMeasured, nothingLeft } from '../../../src/journal/left-records.ts';
import { loadKey, underLoad } from '../../../src/journal/load-level.ts';
import type { EndRecord, JournalRecord } from '../../../src/journal/records.ts';
import { mergedJournal } from '../../../src/judge/between-runs/merge/merge-shards.ts';
import { shardsOfOnePlan } from '../../../src/judge/between-runs/merge/one-plan.ts';
import { formatSize } from '../../../src/judge/format.ts';
import { judgedOf } from '../../../src/judge/judged-view.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { createStopRule, decideStop, type StopOptions } from '../../../src/judge/verdicts/stop-rule.ts';
import { recommendationOf } from '../../../src/report/words/recommendation.ts';
import { perRound, simulateSession } from '../../support/capacity-session.ts';
import { normal } from '../../support/queues.ts';
import { shardJournals } from '../between-runs/merge/shards.ts';
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
  {
    name: 'best, one load level long before the other',
    options: {
      ...grid,
      noise: 0.006,
      effect: ({ variant, connections, round, repeat }) =>
        connections === 1 ? 0 : 0.07 * Math.sin(37 * round + 11 * Number(variant.slice(5)) + (repeat ? 2 : 0)),
    },
  },
  {
    name: 'best, one load level with discarded slices',
    options: {
      ...grid,
      noise: 0.02,
      voided: ({ connections, round }) => (connections === 4 && round % 2 === 0 ? ['generator busy'] : []),
    },
  },
  { name: 'quick', options: { ...grid, quick: true, rounds: 1 } },
];

const byRate = (summary: Summary, load: Summary['run']['loads'][number]) =>
  underLoad(summary.comparisons, load).filter(({ metric }) => metric === judgedOf(summary.run).name);

/** The run as it would have ended: where the rule stopped it, else by its budget. What leaves has no slices any more. */
function ended({ name: _, options, stop = {} }: Kind, seed: number) {
  const journal = fixtureJournal({ ...options, seed, end: null });
  const rule = createStopRule(journal.run, stop);
  const seen: JournalRecord[] = [];
  let left = nothingLeft;
  let last = rule.after([]);
  for (const [before, all] of byRound(journal).entries()) {
    const isWritten = last.left !== undefined && JSON.stringify(last.left) !== JSON.stringify(left);
    left = last.left ?? left;
    const records = [
      ...(isWritten ? [{ type: 'left' as const, round: before, ...left }] : []),
      ...all.filter(
        (record) => record.type !== 'slice' || !Number.isFinite(lastMeasured(left, record.variant, record.load)),
      ),
    ];
    seen.push(...records);
    last = rule.after(records);
    if (last.stop) break;
  }
  const isAnswered = last.stop;
  const isStuck = last.stuck === true;
  const reason = options.quick ? 'quick' : !isAnswered ? 'budget' : isStuck ? 'stuck' : 'verdicts';
  if (reason === 'budget') last = rule.after([], true);
  const end: EndRecord = { type: 'end', at: '', reason };
  return {
    isAnswered: isAnswered && !isStuck,
    records: seen,
    journal,
    left,
    last,
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

/** The line of the last look and the report of the same rounds: settings, bounds and changes. */
function expectOneAnswer(last: ReturnType<typeof decideStop>, summary: Summary): void {
  const label = (variant: string) => summary.run.settings.find((one) => one.variant === variant)?.label ?? variant;
  const { found, choices = [] } = last;
  if (summary.run.question === 'best') {
    const words = recommendationOf(summary);
    expect(found.decided).toEqual(
      summary.recommendation.flatMap(({ load, keep }) =>
        keep === null ? [] : [{ load, setting: label(keep), variant: keep }],
      ),
    );
    for (const { load, setting, rival } of choices) {
      const place = summary.recommendation.findIndex((one) => loadKey(one.load) === loadKey(load));
      const one = summary.recommendation[place];
      if (one?.state === 'none') continue;
      expect(setting).toBe(label(one?.against ?? ''));
      if (rival === null) continue;
      const said = `${rival.setting} may still be up to ${formatSize(rival.percent)} % better than ${setting}`;
      expect(choiceWords({ load, setting, rival, roundsNeeded: null }, 9)).toContain(said);
      expect(words[place]).toContain(said);
    }
  }
  for (const { variant, load, deltaPercent, interval } of found.differing) {
    const one = byRate(summary, load).find((other) => other.variant === variant);
    expect(['higher', 'lower']).toContain(one?.verdict);
    expect(one?.deltaPercent).toBeCloseTo(deltaPercent, 1);
    expect(one?.interval?.[0]).toBeCloseTo(interval[0], 1);
    expect(one?.interval?.[1]).toBeCloseTo(interval[1], 1);
  }
}

describe.each(kinds)('a run: $name', (kind) => {
  test.each([1, 2])('never ends as answered with something open, nor contradicts itself (seed %i)', (seed) => {
    const { isAnswered, summary, records, journal, last } = ended(kind, seed);
    expectNoContradiction(summary);
    if (!summary.run.quick) expectOneAnswer(last, summary);
    // The stop rule and the report see the same load levels as open.
    const { choices = [] } = decideStop({ run: journal.run, records }, kind.stop);
    const now = summarize({ ...journal, records });
    if (summary.run.question === 'best' && !summary.run.quick) {
      const open = now.recommendation.filter(
        ({ state, notes }) => state === 'open' || notes.some(({ kind: why }) => why === 'unfit'),
      );
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

test('a load level that is decided long before the other leaves, and the run ends with both', () => {
  const kind = kinds.find(({ name }) => name === 'best, one load level long before the other');
  if (kind === undefined) throw new Error('no such kind');
  const { left, summary } = ended(kind, 1);
  expect(left.levels).toEqual([{ load: { connections: 1 }, after: 5 }]);
  expect(summary.recommendation[0]).toMatchObject({ load: { connections: 1 }, state: 'decided', keep: 'pool=5' });
});

test.each([1, 2])(
  'a run in shards says at its end what it would have said of the same rounds in one (seed %i)',
  (seed) => {
    const options: FixtureOptions = { ...grid, noise: 0.02, effect: largerAreWorse, seed };
    const shards = shardJournals({ ...options, count: 3, machineOf: () => 'one' });
    const merged = mergedJournal(shardsOfOnePlan(shards.map((journal) => ({ place: journal.run.id, journal }))));
    const summary = summarize({ ...merged, warnings: [] });
    expectNoContradiction(summary);
    expect(summary.run.rounds).toBe(9);
    const open = summary.recommendation.filter(({ state }) => state === 'open');
    for (const one of open) expect(one.undecided.length).toBeGreaterThan(0);
  },
);

test.each([
  ['a rate', { of: 'rate', from: 20, to: 2000 }, 'rises'],
  ['few clients and a step', { of: 'users', from: 1, to: 16 }, 'step'],
] as const)('a search for capacity that ends as answered has nothing open: %s', (name, range, form) => {
  let answered = 0;
  for (const seed of [1, 2]) {
    const random = createRandom(`${name} ${seed}`);
    const speed = perRound(random, (from) => Math.exp(0.01 * normal(from)));
    const own = [1, 1, 1, 1.3].map((most) => most * (form === 'step' ? 6.5 : Math.sqrt(range.from * range.to)));
    const { judged, rounds } = simulateSession({
      range,
      limit: 100,
      variants: ['a', 'b'],
      mostRounds: 12,
      sliceS: 5,
      measure: (arm, round, load) => {
        const used = load / ((own[arm] ?? 1) * (form === 'step' ? 1 : speed(arm, round)));
        return form === 'step' ? (used < 1 ? 50 : 200) * speed(arm, round) : 100 * used ** 2;
      },
    });
    if (rounds === 12) continue;
    answered++;
    for (const change of judged.changes) expect(change.notes.map(({ kind }) => kind)).not.toContain('rounds-needed');
  }
  expect(answered).toBeGreaterThan(0);
});
