import { beforeAll, describe, expect, test } from 'vitest';
import type { Summary } from '../../src/analysis/summary.ts';
import { documentOf } from '../../src/report/document.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { renderFirstScreen } from '../../src/report/formats/terminal.ts';
import { nextSteps } from '../../src/report/words/next-steps.ts';
import type { FixtureOptions } from '../analysis/journal-fixture.ts';
import { judged } from '../analysis/judged.ts';

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

describe.each([
  ['that found something', usual],
  ['that found nothing', { noise: 0.003 }],
  ['that is all noise', { noise: 0.1 }],
  ['that was quick', { quick: true, rounds: 1, end: 'quick' as const }],
  ['that is unfit', { effect: ({ repeat }) => (repeat ? 0.3 : 0) }],
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
        ...small,
        variants: ['a', 'b', 'c'],
        noise: 0.05,
        effect: ({ variant }) => (variant === 'c' ? 1 : 0),
      }),
    );
    expect(first.table?.notes).toEqual(['2xx/s is noise: b.']);
    expect(documentOf(judged({ noise: 0.1 })).first.table).toBeNull();
  });
});

describe('what to do next', () => {
  const next = (options: FixtureOptions) => nextSteps(judged(options));

  test.each([
    [{ noise: 0.003 }, 'Every comparison of 2xx/s has its verdict.', null],
    [{ rounds: 2 }, 'Verdicts start at 4 rounds', 'pgsweep sweep --resume RUN --rounds 4'],
    [{ end: null }, 'The run can go on', 'pgsweep sweep --resume RUN'],
    [
      { effect: ({ repeat }) => (repeat ? 0.3 : 0) },
      'Measure again when the reason above is out of the way',
      'pgsweep doctor',
    ],
  ] as const satisfies readonly (readonly [FixtureOptions, string, string | null])[])(
    '%# by what the summary knows',
    (options, text, command) => expect(next(options)).toEqual([{ text, command }]),
  );

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
    const [step] = next({ ...small, rounds: 5, noise: 0.5 });
    expect(step?.text).toMatch(/^More rounds would not settle the open comparison, which may be less than the \d+ % /);
    expect(step?.command).toBe('pgsweep doctor');
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
    expect(screenOf(summary, 80).length).toBeLessThanOrEqual(45);
    expect(openLines(summary).length).toBeLessThanOrEqual(32);
  });

  test('load levels with an effect are named before others, and the rest is counted', () => {
    const { verdicts } = documentOf(summary).first;
    expect(verdicts).toHaveLength(6);
    expect(verdicts[4]).toMatch(
      /^64 connections: (variant 1\d? of a name that is?… is \d+\.\d % faster \(\S+ to \S+ %\); ){3}8 more differ/,
    );
    expect(verdicts[5]).toBe('2 more load levels, none with a difference.');
    const [sentence] = verdicts;
    expect(sentence).toMatch(/ and \d+ more: /);
    for (const text of verdicts) expect(text.length).toBeLessThanOrEqual(240);
  });

  test('all of them are in the Markdown, folded', () => {
    const few = judged({ variants: ['a', 'b'], control: 'a', connections: [1, 2, 4, 8, 16, 32, 64], rounds: 4 });
    const [open = '', folded = ''] = renderMarkdown(documentOf(few)).split('<summary>Every load level</summary>');
    expect(open).not.toContain('\n- 64 connections: ');
    expect(folded).toContain('\n- 64 connections: ');
  });
});
