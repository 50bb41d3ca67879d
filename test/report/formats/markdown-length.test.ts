import { beforeAll, describe, expect, test } from 'vitest';
import { withControl } from '../../../src/judge/read/other-control.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { documentOf, type ReportDocument } from '../../../src/report/document.ts';
import { fitted, type Part } from '../../../src/report/formats/fitted-parts.ts';
import { renderMarkdown, reportMarker } from '../../../src/report/formats/markdown.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { judged } from '../../judge/judged.ts';
import { markupIn } from '../../support/harmless.ts';

const MOST_CHARACTERS = 60_000;
/** Fifty variants under five load levels, three of which matter; probes see something of each. */
const large = (): FixtureOptions => {
  const variants = Array.from({ length: 50 }, (_, i) => `name-${i}-of-a-variant`);
  return {
    variants,
    control: 'name-0-of-a-variant',
    connections: [1, 2, 4, 8, 16],
    rounds: 5,
    noise: 0.01,
    requestsPerSecond: 15,
    windowMs: 1000,
    effect: ({ variant }) => [0, 0, 0.2, -0.3, 0.4][variants.indexOf(variant)] ?? 0,
    probes: ({ connections, round }) => ({
      processes: { service_cpu_cores: 0.2 + 0.01 * connections + 0.001 * round },
    }),
  };
};

/** That run, judged: once, since what its variants are called changes no number. */
const summaryText = JSON.stringify(summarize(fixtureJournal(large())));
const judgedWith = (name: (i: number) => string): Summary =>
  JSON.parse(summaryText.replace(/name-(\d+)-of-a-variant/g, (_, i) => JSON.stringify(name(Number(i))).slice(1, -1)));

describe.each([
  ['usual names', (i: number) => `release ${i} of the service`],
  ['names that are all escapes', (i: number) => `@www.$\\|${'@#1'.repeat(40)}${i}`],
])('a report of 50 variants under 5 load levels, with %s', (_, name) => {
  let document: ReportDocument;
  let text: string;
  beforeAll(() => {
    document = documentOf(judgedWith(name));
    text = renderMarkdown(document);
  });

  test('fits into a comment, and is Markdown', () => {
    expect(text.length).toBeLessThan(MOST_CHARACTERS);
    // As much as there is room for.
    expect(text.length).toBeGreaterThan(0.8 * MOST_CHARACTERS);
    expect(markupIn(text)).toEqual([]);
  });

  test('says what is left out, before anything that is folded', () => {
    const [open = ''] = text.split('\n<details>');
    expect(open).toMatch(/\nLeft out to fit a GitHub comment: .+ report\.html and the CSV files have it\.\n/);
    expect(open).toContain('Probes, averages');
  });

  test('keeps what matters: the variants that differ, under every load level', () => {
    for (const { heading, tables } of document.sections) {
      const changes = tables.find(({ title }) => title.startsWith('Change against'));
      const told = changes?.rows.flatMap((row, place) => (/ (higher|lower)$/.test(row[1]?.text ?? '') ? [place] : []));
      expect(told).toEqual(expect.arrayContaining([2, 3, 4].map((variant) => variant - 1)));
      expect(changes?.order?.slice(1, 4).sort()).toEqual([1, 2, 3]);
      const [, section = ''] = text.split(`<summary>${heading}</summary>`);
      expect(section.split('</details>')[0]).toMatch(/ higher \|/);
    }
  });
});

test('a report that fits is whole', () => {
  const document = documentOf(judged({ connections: [1, 25] }));
  const text = renderMarkdown(document);
  expect(text).not.toContain('eft out');
  for (const { heading, tables, folded } of document.sections) {
    expect(text).toContain(`<details><summary>${heading}</summary>`);
    for (const { title } of [...tables, ...folded]) expect(text).toContain(`**${title}**`);
  }
});

describe('parts', () => {
  const part = (weight: number, rows: number): Part => ({
    name: `${weight}`,
    weight,
    rows,
    render: (most) => 'x'.repeat(10 * Math.min(most, rows)),
  });
  const rowsOf = (parts: readonly Part[], most: number): number[] =>
    [...fitted(parts, most).values()].map(({ rows }) => rows);
  const parts = [part(5, 30), part(1, 30), part(3, 30), part(3, 30)];

  test.each([
    [2000, [30, 30, 30, 30]],
    [1000, [30, 0, 30, 30]],
    [850, [30, 0, 30, 24]],
    [500, [24, 0, 12, 12]],
    [100, [5, 0, 5, 0]],
    [0, [0, 0, 0, 0]],
  ])('in %d characters: the least telling go first, then all are cut, the last first', (most, rows) => {
    expect(rowsOf(parts, most)).toEqual(rows);
  });
});

describe('the marker', () => {
  test.each([
    ['pool-size', '<!-- pgsweep:report pool-size -->'],
    ['größe 2', '<!-- pgsweep:report größe 2 -->'],
    ['a --> <b> -- c', '<!-- pgsweep:report a -_ _b_ - c -->'],
    ['-', '<!-- pgsweep:report _ -->'],
  ])('of %j is one comment', (name, marker) => expect(reportMarker(name)).toBe(marker));

  test('of a report against another control is another comment, however long the names are', () => {
    const long = 'x'.repeat(100);
    const markers = [reportMarker(long), reportMarker(long, 'pool=25'), reportMarker(long, 'pool=50')];
    expect(new Set(markers).size).toBe(3);
    const journal = fixtureJournal({ connections: [1], rounds: 1 });
    const text = renderMarkdown(documentOf(summarize(withControl(journal, 'pool=25'))));
    expect(text.split('\n')[0]).toBe('<!-- pgsweep:report pool-size against pool=25 -->');
  });

  test('is the first line', () => {
    const text = renderMarkdown(documentOf(judged({ connections: [1], rounds: 1 })));
    expect(text.split('\n')[0]).toBe('<!-- pgsweep:report pool-size -->');
  });
});
