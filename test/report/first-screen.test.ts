import { beforeAll, describe, expect, test } from 'vitest';
import type { RunNote } from '../../src/judge/notes.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import type { Recommendation } from '../../src/judge/verdicts/decision/recommend.ts';
import { documentOf } from '../../src/report/document.ts';
import { firstScreenOf } from '../../src/report/first-screen.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { renderFirstScreen, renderTerminal } from '../../src/report/formats/terminal.ts';
import { shortHeadlineOf } from '../../src/report/words/headline.ts';
import { machineLine } from '../../src/report/words/machine.ts';
import { nextSteps } from '../../src/report/words/next-steps.ts';
import { answerOf } from '../../src/report/words/recommendation.ts';
import { type FixtureOptions, fixtureJournal, unfitOptions } from '../judge/journal-fixture.ts';
import { judged } from '../judge/judged.ts';

/** Four pool sizes under three loads, one of which costs 10 %. */
const usual: FixtureOptions = {
  effect: ({ variant, connections }) =>
    variant === 'pool=50' && connections > 1 ? -0.1 : variant === 'pool=35' ? -0.02 : 0,
  failures: ({ variant, connections }, requests) =>
    variant === 'pool=50' && connections === 50 ? { statuses: { 500: Math.round(requests * 0.03) } } : {},
};
const screenOf = (summary: Summary, widthColumns: number): string[] =>
  renderFirstScreen(documentOf(summary), { colour: false, widthColumns, folder: 'results/mine' }).trimEnd().split('\n');
/** The lines of the Markdown before what is folded. */
const openLines = (summary: Summary): string[] =>
  (renderMarkdown(documentOf(summary)).split('\n<details>')[0] ?? '').trimEnd().split('\n');

const small: FixtureOptions = { variants: ['a', 'b'], control: 'a', connections: [25] };
const which: FixtureOptions = { ...small, question: 'best' };

describe.each([
  ['that found something', usual],
  ['that found nothing', { noise: 0.003 }],
  ['that is all noise', { noise: 0.1 }],
  ['that was quick', { quick: true, rounds: 1, end: 'quick' as const }],
  ['that is unfit', unfitOptions],
  ['whose control stays apart from itself', { effect: ({ repeat }) => (repeat ? 0.3 : 0) }],
  ['that was interrupted', { ...usual, rounds: 3, end: null, unfinishedSlices: 2 }],
] as const satisfies readonly (readonly [string, FixtureOptions])[])('the first screen of a run %s', (_, options) => {
  const summary = judged(options);

  test.each([80, 120])('has at most 25 lines of %d columns, and ends with where the rest is', (widthColumns) => {
    const lines = screenOf(summary, widthColumns);
    expect(lines.length).toBeLessThanOrEqual(25);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(widthColumns);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toMatch(
      / All tables: pgsweep report results\/mine --full, or report\.md and report\.html in that folder\.$/,
    );
  });

  test('has at most 25 lines of Markdown', () => expect(openLines(summary).length).toBeLessThanOrEqual(25));
});

describe('sentences', () => {
  test('names stay as they are written, also at the beginning', () => {
    const options = { variants: ['old', 'new'], control: 'old', connections: [25] };
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === 'new' ? -0.2 : 0);
    expect(documentOf(judged({ ...options, effect })).first.decision).toMatch(/^new is \d+(\.\d)? % slower /);
    expect(documentOf(judged({ ...options, rounds: 3 })).first.decision).toMatch(/^No verdicts yet/);
  });

  /** Twelve variants whose names fill a line each. */
  const names = Array.from({ length: 12 }, (_, at) => `a-variant-with-a-long-name-${at}`);
  const long: FixtureOptions = {
    variants: names,
    control: names[0] ?? '',
    connections: [25],
    effect: ({ variant }) => -0.03 * names.indexOf(variant),
  };

  test('end whole on the first screen, with how many clauses are left out', () => {
    const { verdicts, facts, next } = firstScreenOf(judged(long), []);
    const texts = [...verdicts, ...facts, ...next.map(({ text }) => text)];
    expect(texts.filter((text) => text.endsWith('…'))).toEqual([]);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(240);
  });

  test('have no marks of code on a terminal, in notes of tables too', () => {
    const document = documentOf(judged(usual));
    const sections = document.sections.map((section) => ({
      ...section,
      tables: section.tables.map((table) => ({ ...table, notes: ['No change is `same` there.'] })),
    }));
    const printed = renderTerminal({ ...document, sections }, { colour: false, widthColumns: 80 });
    expect(printed).toContain('No change is same there.');
    expect(printed).not.toContain('`');
  });
});

describe('on 60 columns', () => {
  test('a row of the table has its metric beside its change', () => {
    const names = {
      variants: ['a-pool-of-ten-connections', 'a-pool-of-fifty-connections'],
      control: 'a-pool-of-ten-connections',
    };
    const effect: FixtureOptions['effect'] = ({ variant }) => (variant === names.control ? 0 : -0.2);
    const summary = judged({ ...which, ...names, effect });
    const all = renderTerminal(documentOf(summary), { colour: false, widthColumns: 60 }).split('\n');
    const inAll = all.findIndex((line) => line.startsWith('a-pool-of-fifty-connections, 2xx/s'));
    expect(all.slice(inAll, inAll + 2).join(' ')).toMatch(/-1\d\.\d % \[.*\] lower/);
    const lines = screenOf(summary, 60);
    const at = lines.findIndex((line) => line.startsWith('a-pool-of-fifty-connections, 2xx/s, 25 connections'));
    expect(at).toBeGreaterThan(0);
    expect(lines[at + 1]).toMatch(/^ {4}-1\d\.\d % \[.*\] lower$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  test('a warning ends with a sentence, and no line begins with a percent sign', () => {
    const text = `${'The machine was busy, and so was the service. '.repeat(7)}Try pgsweep doctor.`;
    const [warning = ''] = firstScreenOf(judged(small), [text]).warnings;
    expect(warning).toMatch(/service\.$/);
    expect(warning.length).toBeLessThanOrEqual(240);
    const long = `Variants that fail: ${'pool=12345678 '.repeat(100)}.`;
    expect(firstScreenOf(judged(small), [long]).warnings[0]).toMatch(/ pool=12345678 …$/);
    for (const width of [58, 59, 60, 61, 62]) {
      const screen = screenOf(judged({ effect: () => 0, noise: 0.003 }), width);
      expect(screen.filter((line) => /^\s*%/.test(line))).toEqual([]);
    }
  });
});

test('warnings begin with a capital letter, as other sentences do, and names as they are', () => {
  const notes: RunNote[] = [{ kind: 'void-included' }, { kind: 'journal', text: 'pool=10 has no slices' }];
  const { first } = documentOf({ ...judged(small), notes });
  expect(first.warnings).toEqual([
    expect.stringMatching(/^Averages and changes include the discarded slices/),
    expect.stringMatching(/^pool=10 has no slices/),
  ]);
});

describe('which setting to take', () => {
  // Each load level is open for a reason of its own.
  const effect: FixtureOptions['effect'] = ({ variant, connections }) =>
    ({ 'pool=25': 0.02 * connections, 'pool=50': -0.01 * connections })[variant] ?? 0;
  const open: FixtureOptions = { effect, rounds: 5, noise: 0.05, connections: [1, 2, 4] };
  const summary = judged(open);
  const said = answerOf(summary) ?? '';

  test.each([60, 80])('is said in whole sentences on %d columns', (widthColumns) => {
    expect(said.length).toBeGreaterThan(240);
    const lines = screenOf(summary, widthColumns);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(` ${said} `);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(widthColumns);
  });

  test('says so where all that are open are the same by their own test', () => {
    const named = /Not decided yet, 10 or 25: 25 is the same, but not surely enough to take 10 \(1 connection\)\./;
    expect(answerOf(judged({ ...open, noise: 0.022, seed: 1 }))).toMatch(named);
  });

  test('names the first of many', () => {
    const levels = [10, ...Array.from({ length: 9 }, (_, at) => 20 + at)];
    const many = judged({ ...open, variants: levels.map((level) => `pool=${level}`), effect: () => 0 });
    expect(answerOf(many)).toMatch(
      /^Not decided yet, 10 or one of \d others: \S+ may still be up to \S+ % better than 10 /,
    );
  });

  test('has an end, however many load levels there are', () => {
    const recommendation = Array.from({ length: 30 }, (_, at) => ({
      ...(summary.recommendation[0] as Recommendation),
      load: { connections: at + 1 },
      state: 'decided' as const,
      asGood: [],
      keep: `pool=${at}`,
      candidates: [`pool=${at}`] as const,
      against: `pool=${at}`,
      undecided: [] as const,
      open: [] as const,
      notes: [] as const,
    }));
    const { decision } = firstScreenOf({ ...summary, recommendation }, []);
    expect(decision?.length).toBeLessThanOrEqual(482);
    expect(decision).toMatch(/\S …$/);
  });

  test('counts the clauses that it leaves out within its limit of 480 characters', () => {
    // Nine clauses and `; 21 more below.` are 481 characters.
    const clauses = Array.from({ length: 30 }, (_, at) => 'x'.repeat(at === 0 ? 49 : 50));
    const { warnings } = firstScreenOf(summary, [clauses.join('; ')]);
    expect(warnings).toEqual([`${clauses.slice(0, 8).join('; ')}; 22 more below.`]);
  });
});

describe('its table', () => {
  const rowsOf = (options: FixtureOptions): string[][] =>
    documentOf(judged(options)).first.table?.rows.map((row) => row.map(({ text }) => text)) ?? [];

  test('begins with the largest effect on 2xx/s, under the load that shows it most, and names those alike', () => {
    const [first, second] = rowsOf(usual);
    expect(first?.slice(0, 3)).toEqual(['pool=50 [!]', '2xx/s', '50 connections (+1)']);
    expect(first?.[3]).toMatch(/^-1\d\.\d % \[.*\] lower$/);
    expect(second?.slice(0, 2)).toEqual(['pool=35', '2xx/s']);
  });

  test('has what is the same where nothing differs, and nothing that repeats 2xx/s', () => {
    const rows = rowsOf({ noise: 0.003 });
    expect(rows.map(([variant, metric]) => [variant, metric])).toEqual([
      ['pool=25', '2xx/s'],
      ['pool=35', '2xx/s'],
      ['pool=50', '2xx/s'],
    ]);
    for (const row of rows) expect(row[3]).toMatch(/ same$/);
    expect(rowsOf(usual).map(([, metric]) => metric)).not.toContain('bytes/s');
  });

  test('names in one line what is noise under every load level; of nothing but noise there is none', () => {
    const { first } = documentOf(
      judged({
        ...which,
        variants: ['a', 'b', 'c'],
        noise: 0.05,
        effect: ({ variant }) => (variant === 'c' ? 1 : 0),
      }),
    );
    expect(first.table?.notes).toEqual(['2xx/s is noise: b.']);
    expect(documentOf(judged({ noise: 0.1 })).first.table).toBeNull();
  });
});

describe('kinds of request that the rate does not tell of', () => {
  /** Of b a third of the requests takes half longer, and the others a fifth less time: together as long as those of a. */
  const apart: FixtureOptions = {
    ...which,
    noise: 0.003,
    requests: ({ variant }) => ({
      'list items': { share: 0.4, latency: variant === 'b' ? 0.4 : 0.5 },
      'read item': { share: 0.25, latency: variant === 'b' ? 0.45 : 0.5 },
      'create post': { share: 0.35, latency: variant === 'b' ? 2.1 : 1.4 },
    }),
  };

  test('are in the sentence of the load level, those that lose first', () => {
    const { first, headline } = documentOf(judged(apart));
    const said =
      /^25 connections: b: the same within ±5 %, but by request create post \(\+\d+\.\d %\) takes longer, list items \(-\d+\.\d %\) and /;
    expect(first.verdicts).toEqual([expect.stringMatching(said)]);
    expect(first.verdicts[0]).toMatch(/ and 1 more take less time\.$/);
    expect(headline[0]).toMatch(/ list items \(-\d+\.\d %\) and read item \(-\d+\.\d %\) take less time\.$/);
  });

  test('are in the sentence where the rate goes the other way, and not where it goes the same', () => {
    const sentence = (effect: number): string => {
      const journal = fixtureJournal({
        ...apart,
        effect: ({ variant }) => (variant === 'b' ? effect : 0),
        requests: () => ({ get: { share: 0.5, latency: 0.5 }, post: { share: 0.5, latency: 1.5 } }),
      });
      return documentOf(summarize(journal)).first.verdicts.join();
    };
    expect(sentence(-0.2)).toMatch(/ is 1\d\.\d % slower \([^)]*\)\.$/);
    expect(sentence(0.2)).toMatch(/ is 2\d\.\d % faster \([^)]*\)\.$/);
  });

  test('are named with a rate that differs only where they go against it', () => {
    const { first } = documentOf(
      judged({
        ...apart,
        effect: ({ variant }) => (variant === 'b' ? -0.2 : 0),
        requests: ({ variant }) => ({
          get: { share: 0.5, latency: variant === 'b' ? 1 : 0.5 },
          post: { share: 0.5, latency: variant === 'b' ? 1.2 : 1.5 },
        }),
      }),
    );
    expect(first.verdicts.join()).toMatch(/ slower \([^)]*\), but by request post \(-\d+\.\d %\) takes less time\.$/);
  });

  test('have rows among the changes before other metrics, and tables in the whole report', () => {
    const document = documentOf(
      judged({
        ...apart,
        work: ({ variant }) => ({ serviceCpuMs: variant === 'b' ? 9 : 3, postgresCpuMs: 1, walBytes: 10 }),
      }),
    );
    const rows = document.first.table?.rows.map(([, metric, , change]) => `${metric?.text}: ${change?.text}`) ?? [];
    expect(rows.slice(0, 4)).toEqual([
      expect.stringMatching(/^2xx\/s: .* same$/),
      expect.stringMatching(/^mean ms of create post: \+\d+\.\d % \[.*\] higher$/),
      expect.stringMatching(/^mean ms of list items: -\d+\.\d % \[.*\] lower$/),
      expect.stringMatching(/^mean ms of read item: -\d+\.\d % \[.*\] lower$/),
    ]);
    expect(rows[4]).toMatch(/^service CPU ms\/request: \+200/);
    const whole = renderTerminal(document, { colour: false, widthColumns: 120 });
    expect(whole).toMatch(/\nBy request\n==========\n\nMean ms by request, 25 connections: change against a\n/);
    expect(document.notes.join()).toContain('For kinds of request it is another 5 %.');
  });
});

test('a quick run says how far its control is from itself, where nothing differs', () => {
  const quick = judged({ quick: true, rounds: 1, end: 'quick', effect: ({ repeat }) => (repeat ? 0.12 : 0) });
  expect(documentOf(quick).first.verdicts[0]).toMatch(/; the control against itself \(A\/A\) \+1\d\.\d %\.$/);
  expect(documentOf(judged({})).first.verdicts.join()).not.toContain('against itself');
});

describe('what to do next', () => {
  const next = (options: FixtureOptions) => nextSteps(judged(options));

  test.each([
    [{ noise: 0.003 }, 'Every comparison of 2xx/s has its verdict.', null],
    [{ rounds: 2 }, 'Verdicts start at 4 rounds: 2 more rounds (2 minutes)', 'pgsweep sweep --resume RUN --rounds 4'],
    [{ end: null }, 'The run can be resumed', 'pgsweep sweep --resume RUN'],
    [
      unfitOptions,
      expect.stringMatching(/^Statuses under the averages show what failed\. .* Then measure again$/),
      `pgsweep sweep ${judged({}).run.scenarioFile}`,
    ],
    [
      { effect: ({ repeat }) => (repeat ? 0.3 : 0) },
      'More rounds would not decide which setting to take; a calmer machine might',
      'pgsweep doctor',
    ],
  ] satisfies readonly (readonly [FixtureOptions, string, string | null])[])(
    '%# by what the summary knows',
    (options, text, command) => expect(next(options)[0]).toEqual({ text, command }),
  );

  test('a variant that got faster while it was measured is to be warmed for longer', () => {
    const summary = judged({ noise: 0.003 });
    const moved = { load: { connections: 25 }, controlPercent: 24, interval: [28, 42] } as const;
    const stepAt = (percent: number) =>
      nextSteps({
        ...summary,
        notes: [{ kind: 'unsteady-rates', trends: [{ ...moved, variant: 'pool=25', percent }] }],
      })[0];
    expect(stepAt(61)).toEqual({
      text: 'Set a longer load.warmup and measure again: pool=25 still got faster while measured, more than pool=10',
      command: `pgsweep sweep ${summary.run.scenarioFile}`,
    });
    expect(stepAt(-20)?.text).toBe('Every comparison of 2xx/s has its verdict.');
  });

  test('a run whose added time was too short for what is open names its budget, and not that no rounds would settle it', () => {
    const summary = judged({ ...small, noise: 0.04, rounds: 5, end: 'unsettled' });
    expect(firstScreenOf(summary, []).facts.join()).toContain(
      'stopped by its time budget, since what is open needs more than the added time',
    );
    expect(nextSteps(summary)[0]?.command).toMatch(/--budget \d+m$/);
  });

  test('a run that its budget ended is given the minutes that its open comparisons take', () => {
    const options: FixtureOptions = { ...small, rounds: 5, noise: 0.04 };
    const { open } = judged(options).session;
    const { moreRounds, moreMinutes } = { moreRounds: 0, moreMinutes: 0, ...open };
    // Rounds of a minute.
    expect(moreRounds).toBeGreaterThan(1);
    expect(next({ ...options, end: 'budget' })).toEqual([
      {
        text: `About ${moreMinutes} more minutes (${moreRounds} rounds) should settle the open comparison`,
        command: `pgsweep sweep --resume RUN --budget ${Math.ceil(1.1 * (moreMinutes ?? 0) + 1)}m`,
      },
    ]);
    expect(next(options)[0]?.command).toBe(`pgsweep sweep --resume RUN --rounds ${5 + (moreRounds ?? 0)}`);
  });

  test('where more rounds would not do, it says so', () => {
    const wild: FixtureOptions = { ...small, rounds: 5, noise: 0.5 };
    const [step] = next({ ...wild, conditions: () => ({ foreignCpuShare: 0.2 }) });
    expect(step?.text).toMatch(/^More rounds would not settle the open comparison, which may be less than the \d+ % /);
    expect(step).toMatchObject({ text: expect.stringContaining('a calmer machine might'), command: 'pgsweep doctor' });
    // It is as calm as a machine can be.
    const [calm] = next({ ...wild, conditions: () => ({ stealShare: 0.0016, foreignCpuShare: 0 }) });
    expect(calm?.text).not.toContain('calmer');
    expect(calm).toMatchObject({ text: expect.stringContaining('longer slices'), command: null });
  });

  test('those that more rounds settle are counted apart from those that they do not', () => {
    const summary = judged({
      ...small,
      variants: ['a', 'b', 'c'],
      connections: [1, 25],
      rounds: 6,
      noise: 0.04,
      // Rounds are far apart, with one of the loads.
      effect: ({ variant, round, connections }) =>
        connections === 1 || variant === 'a' ? 0 : round % 2 === 0 ? 0.3 : -0.3,
    });
    const { open } = summary.session;
    expect(open).toMatchObject({ comparisons: 4, beyond: 2, moreRounds: expect.any(Number) });
    const [step] = nextSteps(summary);
    expect(step?.text).toBe(
      `${open?.moreRounds} more rounds (${open?.moreRounds} minutes) should settle 2 of the 4 open comparisons`,
    );
    expect(step?.command).toBe(`pgsweep sweep --resume RUN --rounds ${6 + (open?.moreRounds ?? 0)}`);
    expect(machineLine(summary.session)).toContain(`2 of the 4 open comparisons need about ${open?.moreRounds} more`);
  });

  test.each([
    ['the smallest is to be taken', () => 0, '10 is the smallest tried; add 2 and 5 to sweep.pool.levels'],
    [
      'the largest is to be taken',
      ({ variant }) => (variant === 'pool=40' ? 0.3 : 0),
      '40 is the largest tried; add 80 and 160 to sweep.pool.levels',
    ],
    [
      'the largest is to be taken with one load alone',
      ({ variant, connections }) => (variant === (connections === 1 ? 'pool=20' : 'pool=40') ? 0.3 : 0),
      '40 is the largest tried, and the one to take with 25 connections; add 80 and 160 to sweep.pool.levels',
    ],
    [
      'the largest is still better',
      ({ variant }) => ({ 'pool=20': 0.2, 'pool=40': 0.213 })[variant] ?? 0,
      /^40 is the largest tried, and still [\d.]+-[\d.]+ % better with 1 connection; add 80 and 160 to sweep\.pool\.levels$/,
    ],
    ['one between others is to be taken', ({ variant }) => (variant === 'pool=10' ? -0.3 : 0), null],
  ] as const satisfies readonly (readonly [string, FixtureOptions['effect'], string | RegExp | null])[])(
    'where %s, it says what was not tried',
    (_, effect, text) => {
      const journal = fixtureJournal({
        variants: ['pool=10', 'pool=20', 'pool=40'],
        control: 'pool=10',
        connections: [1, 25],
        rounds: 8,
        noise: 0.003,
        effect,
      });
      const said = nextSteps(summarize(journal)).filter((step) => step.text.includes('tried'));
      expect(said.map((step) => step.text)).toEqual(
        text === null ? [] : [typeof text === 'string' ? text : expect.stringMatching(text)],
      );
    },
  );

  test('a run that asked which setting to take is told of that first, and of all verdicts when it is decided', () => {
    const steps = (options: FixtureOptions) => {
      const summary = judged({
        variants: ['pool=5', 'pool=10', 'pool=20', 'pool=40'],
        control: 'pool=10',
        connections: [25],
        rounds: 6,
        ...options,
      });
      return nextSteps({ ...summary, run: { ...summary.run, question: 'best' } });
    };
    const effect: FixtureOptions['effect'] = ({ variant }) =>
      ({ 'pool=5': -0.3, 'pool=20': -0.03, 'pool=40': -0.03 })[variant] ?? 0;
    const [decided] = steps({ noise: 0.02, effect });
    expect(decided?.text).toMatch(
      /^It is decided which setting to take\. \d+ more rounds? \(\d+ minutes?\) should settle /,
    );
    expect(decided?.command).toMatch(/^pgsweep sweep --resume RUN --rounds \d+ --settle all$/);
    const [open] = steps({ noise: 0.03 });
    expect(open?.text).toMatch(/^About (\d+) more rounds? \(\1 minutes?\) should decide which setting to take$/);
    expect(open?.command).toMatch(/^pgsweep sweep --resume RUN --rounds \d+$/);
    // Under one load level starts scatter so much that no number of rounds would do.
    const scattered: FixtureOptions['effect'] = ({ variant, connections, round }) =>
      connections === 50 && variant !== 'pool=5' ? (round % 2 === 0 ? 0.12 : -0.12) : 0;
    const [partly] = steps({ noise: 0.02, connections: [25, 50], effect: scattered });
    expect(partly?.text).toMatch(
      / should decide which setting to take with 25 connections; no number of rounds should with 50 connections$/,
    );
  });

  test('the most telling finding is named', () => {
    const probes: FixtureOptions = {
      ...small,
      noise: 0.003,
      probes: ({ variant }) => ({ 'postgres-log': { log_transaction_open: variant === 'b' ? 3 : 0 } }),
    };
    expect(next(probes).at(-1)?.text).toMatch(/^Read Why: b, 25 connections: 3 warnings /);
  });

  test('a folder is quoted as a shell takes it, and in Markdown only one that needs no quotes is named', () => {
    const document = documentOf(judged({ rounds: 2 }));
    const lines = renderFirstScreen(document, { colour: false, widthColumns: 120, folder: "it's mine" });
    expect(lines).toContain(`\n  pgsweep sweep --resume 'it'\\''s mine' --rounds 4\n`);
    expect(renderMarkdown(document, 'results/mine')).toContain('`pgsweep sweep --resume results/mine --rounds 4`');
    expect(renderMarkdown(document, 'it`s mine')).toContain('`pgsweep sweep --resume RUN --rounds 4`');
  });
});

describe('of many load levels and variants', () => {
  const variants = [
    'v0',
    ...Array.from({ length: 29 }, (_, i) => `variant ${i + 1} of a name that is as long as some are`),
  ];
  let summary: Summary;
  beforeAll(() => {
    summary = judged({
      variants,
      control: 'v0',
      connections: [1, 2, 4, 8, 16, 32, 64],
      rounds: 4,
      requestsPerSecond: 20,
      windowMs: 1000,
      noise: 0.02,
      effect: ({ variant, connections }) =>
        variant.startsWith('variant 1') && connections === 64 ? 0.4 + variants.indexOf(variant) / 100 : 0,
    });
  });

  test('there is a bounded number of lines', () => {
    // 25 rows of the table of changes, and what stands around it; on 80 columns its last column comes below the others.
    expect(screenOf(summary, 100).length).toBeLessThanOrEqual(52);
    expect(screenOf(summary, 80).length).toBeLessThanOrEqual(52 + 28);
    expect(openLines(summary).length).toBeLessThanOrEqual(45);
  });

  test('load levels with an effect are named before others, and the rest is counted', () => {
    const verdicts = shortHeadlineOf(summary);
    expect(verdicts).toHaveLength(6);
    expect(verdicts[4]).toMatch(
      /^64 connections: (variant 1\d? of a name that is?… is \d+\.\d % faster \(\S+ to \S+ %\); ){3}7 more differ/,
    );
    expect(verdicts[5]).toBe('2 more load levels, none with a difference.');
    const [sentence] = verdicts;
    expect(sentence).toMatch(/ and \d+ more: /);
  });

  test('all of them are in the Markdown, folded', () => {
    const few = judged({ variants: ['a', 'b'], control: 'a', connections: [1, 2, 4, 8, 16, 32, 64], rounds: 4 });
    const [open = '', folded = ''] = renderMarkdown(documentOf(few)).split('<summary>Every load level</summary>');
    expect(open).not.toContain('\n- 64 connections: ');
    expect(folded).toContain('\n- 64 connections: ');
  });
});

describe('of a run that asked what changes do', () => {
  const variants = ['Control', 'Remove IndexA', 'Hide IndexA', 'Remove SHARE NOT WAIT IdsForDocumentByDocumentUuid'];
  const others = ['Remove SHARE NOT WAIT IdsForDocumentByMeadowlarkId', 'Commit async'];
  const options: FixtureOptions = {
    variants: [...variants, ...others],
    control: 'Control',
    connections: [1, 25],
    noise: 0.004,
    effect: ({ variant, connections }) => (variant === 'Remove IndexA' && connections === 25 ? -0.5 : 0),
  };

  test('the bold line says what was found, and the table has each variant by each load level', () => {
    const { decision, matrix, verdicts } = documentOf(judged(options)).first;
    expect(decision).toMatch(
      /^Remove IndexA is 39\.\d % slower \[3\d\.\d, [34]\d\.\d\] at 25 connections, the same within ±5 % at 1 connection; 4 of 5 changes are the same within ±5 % everywhere\.$/,
    );
    expect(verdicts).toEqual([]);
    expect(matrix?.columns.map(({ head }) => head)).toEqual(['variant, connections', '1', '25']);
    expect(matrix?.rows.map(([name]) => name?.text)).toEqual([
      ...variants.slice(1, 3),
      expect.stringMatching(/^Remove SHARE NOT WAIT .*ByDoc.*…$/),
      expect.stringMatching(/^Remove SHARE NOT WAIT .*ByMea.*…$/),
      'Commit async',
    ]);
    expect(matrix?.rows[0]?.[2]?.text).toMatch(/^-39\.\d % \[-[34]\d\.\d, -3\d\.\d\] ↓$/);
    expect(matrix?.rows[0]?.[2]?.short).toMatch(/^-39\.\d % ↓$/);
  });

  test('a narrow terminal has short names first, then changes without intervals, each name as it is told from the others', () => {
    const lines = screenOf(judged(options), 80).join('\n');
    expect(lines).toMatch(/Remove IndexA +\S+ % \[.*\] = +-39\.\d % \[.*\] ↓/);
    const narrow = screenOf(judged(options), 50);
    expect(narrow.join('\n')).toMatch(/Remove IndexA +\S+ % = +-39\.\d % ↓/);
    for (const line of narrow.slice(0, -1)) expect(line.length).toBeLessThanOrEqual(50);
    const names = narrow.flatMap((line) => /^(Remove SHARE.*?) {2}/.exec(line)?.[1] ?? []);
    expect(new Set(names).size).toBe(2);
  });

  test('the same warning at several load levels is one', () => {
    const note = { kind: 'groups', groups: 2 } as const;
    const notes: RunNote[] = [1, 25].map((connections) => ({ ...note, load: { connections } }));
    const { warnings } = documentOf({ ...judged(options), notes });
    expect(warnings).toEqual([expect.stringContaining('1 and 25 connections')]);
  });

  test('also where a load level begins the sentence in another case', () => {
    const loads = [
      { connections: 25, of: 'bulk' },
      { connections: 25, workload: 'get-documents' },
    ] as const;
    const notes = loads.map((load): RunNote => ({ kind: 'groups', load, groups: 3 }));
    const { warnings } = documentOf({ ...judged(small), notes });
    expect(warnings).toEqual([
      expect.stringMatching(/^Bulk load and get-documents \(25 connections\): arms took turns in 3 groups/),
    ]);
  });
});
