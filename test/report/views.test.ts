import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import { documentOf } from '../../src/report/document.ts';
import { averagesCsv, deltasCsv } from '../../src/report/formats/csv.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { renderFirstScreen, renderTerminal } from '../../src/report/formats/terminal.ts';
import { summaryJson, writeReport } from '../../src/report/write-report.ts';
import { type FixtureOptions, fixtureJournal } from '../judge/journal-fixture.ts';
import { judged } from '../judge/judged.ts';
import { contentOf } from './report-content.ts';

/** A run with something of everything: an effect, noise, failures, a status split, rollbacks that the control has not. */
const eventful: FixtureOptions = {
  noise: 0.02,
  effect: ({ variant, connections }) =>
    variant === 'pool=50' && connections > 1 ? -0.1 : variant === 'pool=35' ? -0.02 : 0,
  failures: ({ variant, connections }, requests) =>
    variant === 'pool=50' && connections === 50
      ? { statuses: { 201: 3, 500: Math.round(requests * 0.03) }, timeouts: 2 }
      : { statuses: { 201: 3 } },
  perRequest: ({ variant }) => ({
    xact_commit: 1,
    xact_rollback: variant === 'pool=50' ? 0.01 : 0,
    blks_read: 0.05,
    blks_hit: 22,
    tup_returned: 12,
    tup_fetched: 2,
    tup_inserted: 3.9,
    tup_updated: 1,
    tup_deleted: 3.9,
  }),
};

/** Nine named variants: too many to stand side by side. */
const many: FixtureOptions = {
  title: 'What each index | lock costs',
  variants: ['Control', ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => `Remove index_${i} | by *document*`)],
  control: 'Control',
  connections: [25],
  rounds: 5,
  noise: 0.01,
};

let summary: Summary;
let markdown: string;
beforeAll(() => {
  summary = judged(eventful);
  markdown = renderMarkdown(documentOf(summary));
});

/** Compares with a golden file; run with UPDATE_GOLDEN=1 to write it, and read what changed. */
function goldenFile(name: string, content: string): void {
  const file = join(import.meta.dirname, '../golden', name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, content);
  expect(content).toBe(readFileSync(file, 'utf8'));
}

/** The tables of a Markdown text, as GitHub reads them: cells by unescaped pipes. Throws where a line is no full row. */
function parseTables(text: string): string[][][] {
  const tables: string[][][] = [];
  let open = false;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      expect(line, 'a table row begins with a pipe').not.toMatch(/(?<!\\)\|/);
      open = false;
      continue;
    }
    expect(line).toMatch(/^\| .*(?<!\\) \|$/);
    if (!open) tables.push([]);
    open = true;
    tables.at(-1)?.push(
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
  }
  return tables;
}

describe('golden files', () => {
  test('report.md', () => goldenFile('report.md', markdown));
  test('report.txt', () =>
    goldenFile('report.txt', renderTerminal(documentOf(summary), { colour: false, widthColumns: 120 })));
  test.each([80, 120])('first screen of %d columns', (widthColumns) => {
    const options = { colour: false, widthColumns, folder: 'results/pool-size-2026-01-31T10-00-00' };
    goldenFile(`first-screen-${widthColumns}.txt`, renderFirstScreen(documentOf(summary), options));
  });
  test('averages.csv', () => goldenFile('averages.csv', averagesCsv(summary)));
  test('deltas.csv', () => goldenFile('deltas.csv', deltasCsv(summary)));
  test('quick.md', () => {
    const quick = fixtureJournal({ quick: true, rounds: 1, connections: [25], end: 'quick' });
    goldenFile('quick.md', renderMarkdown(documentOf(summarize(quick))));
  });
});

describe('Markdown', () => {
  test.each([
    ['eventful', eventful],
    ['many', many],
    ['without counters', { connections: [1], perRequest: () => null }],
  ] as const)('%s: every table has full rows of as many cells as its head, and an alignment row', (_, options) => {
    const tables = parseTables(renderMarkdown(documentOf(judged(options))));
    for (const rows of tables) {
      const [head, rule] = rows;
      expect(rows.length).toBeGreaterThan(2);
      expect(new Set(rows.map((row) => row.length))).toEqual(new Set([head?.length]));
      expect(rule?.every((cell) => /^:?-+:?$/.test(cell))).toBe(true);
    }
    // What has a verdict; averages and changes for load, work and database; without counters none of the database; and the
    // provenance. Then what ab prints, three under each load, and variants x connections.
    const expected = { eventful: 20 + 10, many: 8 + 3, 'without counters': 6 + 3 }[_];
    expect(tables).toHaveLength(expected);
  });

  test('says what happened before the first table', () => {
    const [before = ''] = markdown.split('|');
    expect(before).toMatch(/^<!-- pgsweep:report pool-size -->\n\n# Connection pool size/);
    expect(before).toMatch(/- 25 connections: pool=50 is \d+\.\d % slower \(\d+\.\d to \d+\.\d %\); /);
    expect(before).toContain('pool=50 [more requests failed] is');
    expect(before).toMatch(/- 1 connection: .*(noise|the same within ±5 %)/);
  });

  test('has a row per variant and the A/A row in the averages, and all four in the changes', () => {
    const [, averages = [], deltas = []] = parseTables(markdown);
    const names = ['pool=10 (control)', 'pool=10 again (A/A)', 'pool=25', 'pool=35', 'pool=50'];
    expect(averages.slice(2).map((row) => row[0])).toEqual(names);
    expect(averages[0]).toEqual([
      'variant',
      '2xx/s',
      'mean ms',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'p99.9 ms',
      'bytes/s',
      '2xx',
      'non-2xx',
    ]);
    expect(deltas[0]).toEqual(['metric', 'pool=25', 'pool=35', 'pool=50', 'pool=10 again (A/A)']);
  });

  test('many variants are rows in the changes too', () => {
    const [, , deltas = []] = parseTables(renderMarkdown(documentOf(judged(many))));
    expect(deltas[0]?.slice(0, 2)).toEqual(['variant', '2xx/s']);
    expect(deltas).toHaveLength(2 + 8 + 1);
    expect(deltas[2]?.[0]).toBe('Remove index_1 \\| by \\*document\\*');
  });

  test('folds all but the first screen, each part with the empty lines that GitHub needs', () => {
    // Each load level with its rates of the database, what is recommended by load level, notes and provenance; two-way
    // tables, and what ab prints.
    expect(markdown.match(/^<details><summary>[^<]+<\/summary>\n$/gm)).toHaveLength(2 * 3 + 5);
    expect(markdown.match(/\n\n<\/details>(?=\n)/g)).toHaveLength(2 * 3 + 5);
    expect(markdown.match(/details>/g)).toHaveLength(2 * (2 * 3 + 5));
    expect(markdown).toMatch(
      /Intervals hold together: of the 9 comparisons of 2xx\/s.* is up to 5 %.*not for all metrics at once/,
    );
  });

  test('shows names as they are: no tags, mentions, links or new lines come out of them', () => {
    const variants = ['a', '<b>', '@user _x_ a_b [l](http://h)', 'two\nlines &lt; `c` ~s~'];
    const text = renderMarkdown(documentOf(judged({ variants, control: 'a', connections: [1], rounds: 1 })));
    const [averages = []] = parseTables(text);
    expect(averages.slice(4).map((row) => row[0])).toEqual([
      '&lt;b>',
      '@<!-- -->user \\_x\\_ a_b [l]\\(http:<!-- -->//h)',
      'two lines &amp;lt; \\`c\\` \\~s\\~',
    ]);
  });
});

describe('terminal', () => {
  test.each([80, 100, 120])('fits %d columns', (widthColumns) => {
    for (const options of [eventful, { ...many, variants: ['Control', 'b', 'c', 'd', 'e', 'f', 'g'] }]) {
      const text = renderTerminal(documentOf(judged(options)), { colour: false, widthColumns });
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(widthColumns);
    }
  });

  test('has every table of the report', () => {
    const { sections, details, why } = documentOf(judged(eventful));
    const tables = [
      ...sections.flatMap((one) => [...one.tables, ...one.folded]),
      ...details.flatMap((one) => one.tables),
    ];
    const all = [...tables, ...(why?.folded.flatMap((one) => one.tables) ?? [])];
    const lines = renderTerminal(documentOf(judged(eventful)), { colour: false, widthColumns: 120 }).split('\n');
    expect(all.filter(({ title }) => title !== '' && !lines.includes(title)).map(({ title }) => title)).toEqual([]);
    expect(all.length).toBeGreaterThan(10);
  });

  test('has no marks of code around our words, and the backticks of names', () => {
    const named = judged({ ...eventful, variants: ['Control', 'with `index`', 'c'], control: 'Control' });
    const text = renderTerminal(documentOf(named), { colour: false, widthColumns: 120 });
    expect(text).toContain('higher, lower: the interval excludes 0. same: it lies within');
    expect(text.split('\n').filter((line) => line.includes('with index'))).toEqual([]);
    expect(text.replaceAll('with `index`', '')).not.toContain('`');
  });

  test('has no colour unless asked, and then the same text', () => {
    const report = documentOf(summary);
    const plain = renderTerminal(report, { colour: false, widthColumns: 120 });
    const coloured = renderTerminal(report, { colour: true, widthColumns: 120 });
    const escapeCharacter = String.fromCharCode(27);
    expect(plain).not.toContain(escapeCharacter);
    expect(coloured).toContain(`${escapeCharacter}[31m`);
    // Padding that ends a coloured cell cannot be trimmed.
    const stripped = coloured.replace(new RegExp(`${escapeCharacter}\\[\\d+m`, 'g'), '');
    expect(stripped.split('\n').map((line) => line.trimEnd())).toEqual(plain.split('\n').map((line) => line.trimEnd()));
  });
});

describe('CSV and JSON', () => {
  test('one row per arm and load level, one per comparison', () => {
    expect(averagesCsv(summary).trimEnd().split('\n')).toHaveLength(1 + 15);
    expect(deltasCsv(summary).trimEnd().split('\n')).toHaveLength(1 + 3 * 3 * (16 + 16));
  });

  test('averages say what was void, by reason, and in how many rounds an arm was not steady', () => {
    const disturbed = summary.averages.map((row, index) =>
      index === 2 ? { ...row, voided: { 'failed requests': 3, transactions: 1 }, notSteady: 2 } : row,
    );
    const [head, ...rows] = averagesCsv({ ...summary, averages: disturbed })
      .trimEnd()
      .split('\n');
    expect(head).toMatch(
      /,outcomes,load,voided,not_steady,statements_per_request,.*,postgres_cpu_ms_per_request,uncounted_requests,uncounted_failed,discarded_requests,discarded_failed$/,
    );
    expect(rows[1]).toMatch(/,,0,,/);
    expect(rows[2]).toMatch(/,failed requests:3; transactions:1,2,/);
  });

  test('a name with commas and quotes stays one field', () => {
    const options: FixtureOptions = { variants: ['a', 'pool=5, lock="x"'], control: 'a', connections: [1], rounds: 1 };
    expect(deltasCsv(judged(options))).toContain('"pool=5, lock=""x""",1,requests_per_s,1/s,');
  });

  test('writes all files, whole, and nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-report-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'report.md'), 'an older report');
    const content = contentOf(fixtureJournal(eventful), undefined, summary);
    const files = await writeReport(folder, content);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const pictures = names.filter((name) => /^charts\/(loads|latency|time-\d+)-\d+\.svg$/.test(name));
    expect(pictures.length).toBeGreaterThan(5);
    expect(names.filter((name) => !pictures.includes(name)).sort()).toEqual(
      [
        'averages.csv',
        'charts',
        'charts/requests_per_s.svg',
        'deltas.csv',
        'report.html',
        'report.md',
        'summary.json',
      ].sort(),
    );
    expect(files.map((file) => readFileSync(file, 'utf8')).every((content) => /\n$|<\/svg>$/.test(content))).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toEqual(summary);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe(
      renderMarkdown(content.document, content.folder, content),
    );
    expect(summaryJson(summary)).toBe(readFileSync(join(folder, 'summary.json'), 'utf8'));
  });
});
