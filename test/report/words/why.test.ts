import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderHtml } from '../../../src/report/formats/html.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { renderTerminal } from '../../../src/report/formats/terminal.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { judged } from '../../judge/judged.ts';
import { contentOf } from '../report-content.ts';

/** A run in which nearly everything is wrong somewhere, under seven load levels. */
const wrong: FixtureOptions = {
  variants: ['pool=10', 'pool=25', 'pool=50'],
  control: 'pool=10',
  connections: [1, 2, 4, 8, 16, 32, 64],
  rounds: 4,
  requestsPerSecond: 40,
  perRequest: ({ variant }) => ({ xact_commit: variant === 'pool=25' ? 2 : 1, blks_hit: 20 }),
  probes: ({ variant, connections, repeat, round }) => ({
    processes: {
      service_cpu_cores: 0.2 + 0.01 * connections + (repeat ? 0.001 : 0.002) * round,
      service_busiest_thread_cores: 0.1,
      postgres_cpu_cores: variant === 'pool=50' ? 1.9 : 0.5,
      generator_cpu_cores: 0.1,
    },
    'wait-events': {
      lock_wait_share: variant === 'pool=25' ? 0.6 : 0.01,
      busy_connections_mean: 8,
      busy_connections_p95: 30,
    },
    'postgres-log': { log_transaction_open: variant === 'pool=50' ? 3 : 0, deadlocks: variant === 'pool=50' ? 2 : 0 },
    'pg-stat-statements': { statement_calls: 100 },
  }),
  probeRows: ({ variant }) => ({
    'pg-stat-statements': [
      {
        statement: 'SELECT id | FROM "a" WHERE b = $1',
        calls: 900,
        total_ms: variant === 'pool=50' ? 300 : 150,
        rows: 900,
        blocks_hit: 4000,
        blocks_read: 3,
        wal_bytes: 0,
      },
      { statement: 'COMMIT', calls: 900, total_ms: 20, rows: 0, blocks_hit: 0, blocks_read: 0, wal_bytes: 90_000 },
    ],
  }),
};

/** Compares with a golden file; run with UPDATE_GOLDEN=1 to write it, and read what changed. */
function goldenFile(name: string, content: string): void {
  const file = join(import.meta.dirname, '../../golden', name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, content);
  expect(content).toBe(readFileSync(file, 'utf8'));
}

describe('the Why section', () => {
  let summary: Summary;
  let markdown: string;
  beforeAll(() => {
    summary = judged(wrong);
    markdown = renderMarkdown(documentOf(summary));
  });
  const sectionOf = (text: string): string =>
    text
      .split('<details><summary>Why</summary>')[1]
      ?.split(/\n\n<\/details>\n\n<details><summary>(?:Requests|How)/)[0] ?? '';

  test('golden file', () => goldenFile('why.md', `${sectionOf(markdown).trim()}\n`));

  test('is one screen on a terminal, and its tables come after it', () => {
    const lines = (widthColumns: number): number => {
      const text = renderTerminal(documentOf(summary), { colour: false, widthColumns });
      const [before = '', after = ''] = text.split('\nWhy\n===\n');
      expect(before).not.toContain('Statements, most time first');
      const [block = '', ...tables] = after.split('\n\n');
      expect(block).not.toContain('Statements, most time first');
      expect(tables.join()).toContain('Statements, most time first');
      return block.split('\n').length;
    };
    expect(lines(120)).toBeGreaterThan(5);
    expect(lines(120)).toBeLessThanOrEqual(28);
    expect(lines(80)).toBeLessThanOrEqual(40);
  });

  test('has at most twelve points, the most telling first, and every other finding below', () => {
    const [open = '', ...folded] = sectionOf(markdown).split('<details>');
    expect(open.match(/^- /gm)?.length).toBeLessThanOrEqual(12);
    expect(open.trimStart()).toMatch(/^- \*\*pool=50, 1 connection: 3 warnings/);
    for (const { next } of summary.findings) expect(markdown).toContain(next);
    const more = { ...summary, findings: [...summary.findings, ...summary.findings.slice(0, 2)] };
    const named = summary.findings.slice(0, 2).map(({ name }) => name);
    expect(documentOf(more).why?.limits[0]).toBe(`Also found (see "Every cell" in the report): ${named.join(', ')}.`);
    expect(folded.length).toBe(1 + 7);
    for (const fold of folded) expect(fold).toMatch(/^<summary>[^<]+<\/summary>\n\n[\s\S]+\n\n<\/details>/);
  });

  test('says how many changes of probes are marked, and how many would be by chance alone', () => {
    const compared = summary.probes.filter(({ interval }) => interval !== null);
    const values = new Set(compared.map(({ metric }) => metric)).size;
    const marked = compared.filter(({ verdict }) => /higher|lower/.test(verdict)).length;
    expect(marked).toBeGreaterThan(0);
    // The comparisons of a value share an error of 5 %.
    expect(markdown).toContain(
      `Of ${compared.length} comparisons of ${values} values over all load levels ${marked} are marked higher or lower; if nothing differs, up to ${Number((0.05 * values).toPrecision(3))} values would be marked by chance`,
    );
    const quick = documentOf(judged({ ...wrong, quick: true }));
    expect(renderMarkdown(quick)).not.toContain('would be by chance');
  });

  test('is the same in HTML, with all that a name may hold escaped', () => {
    const html = renderHtml(contentOf(fixtureJournal(wrong), undefined, summary));
    expect(html).toContain('<h2 id="why">Why</h2>');
    expect(html).toContain('>SELECT id | FROM &quot;a&quot; WHERE b = $1<');
  });

  test('says of no cell that nothing is at its limit where no CPU was seen', () => {
    const locks = { lock_wait_share: 0.01, busy_connections_mean: 8, busy_connections_p95: 30 };
    const why = (probes: Readonly<Record<string, number>>): string =>
      sectionOf(
        renderMarkdown(
          documentOf(summarize(fixtureJournal({ ...wrong, connections: [8], probes: () => ({ all: probes }) }))),
        ),
      );
    expect(why(locks)).not.toMatch(/at its limit|limited by/);
    expect(why({ ...locks, service_cpu_cores: 0.2 })).not.toMatch(/at its limit|limited by/);
    expect(why({ ...locks, service_cpu_cores: 0.2, postgres_cpu_cores: 0.1 })).toContain('nothing is at its limit');
    expect(why({ ...locks, lock_wait_share: 0.9 })).toContain('limited by locks');
  });

  test('is not there without probes', () => {
    const plain = documentOf(judged({ connections: [1], rounds: 4 }));
    expect(plain.why).toBeNull();
    expect(renderMarkdown(plain)).not.toContain('<summary>Why');
  });

  test('says so where nothing was found', () => {
    const calm: FixtureOptions = {
      connections: [1],
      rounds: 4,
      probes: () => ({ processes: { service_cpu_cores: 0.3 } }),
    };
    const { why } = documentOf(judged(calm));
    expect(why?.findings).toEqual([]);
    expect(why?.limits[0]).toBe('No cross-check found anything wrong.');
    expect(why?.limits[1]).toMatch(/^pool=10 \(control\), pool=25, .*, 1 connection: nothing is at its limit/);
  });
});
