import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import { describe, expect, test } from 'vitest';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { run } from '../cli/in-process.ts';
import {
  asBulk,
  grids,
  indexes,
  libraries,
  modules,
  pools,
  runFolder,
  watchedGridFolder,
  withoutAnswers,
} from './seeds/runs.ts';

const here = join(import.meta.dirname, 'seeds');
const textOf = (name: string): string => readFileSync(join(here, name), 'utf8');

/** Compares with a golden file; run with UPDATE_GOLDEN=1 to write it, and read what changed. */
function goldenFile(name: string, content: string): void {
  const file = join(here, name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, content);
  expect(content).toBe(readFileSync(file, 'utf8'));
}

/** The command, and what it printed; what it says beside is no part of the table. */
async function printed(...args: string[]): Promise<string> {
  const { code, out, err } = await run(...args);
  expect([code, err.replace(/^report: .*\n$/, '')], out).toEqual([0, '']);
  return out;
}

/** The tables of a text as a parser of GitHub Markdown has them: head and number of rows, each row as long as it. */
function tablesOf(markdown: string): { readonly head: string[]; readonly rows: string[][] }[] {
  const found: Token[] = lexer(markdown, { gfm: true });
  expect(found.some((token) => token.type === 'paragraph' && /^\s*\|.*\|\s*$/m.test(token.raw))).toBe(false);
  return found
    .filter((token): token is Tokens.Table => token.type === 'table')
    .map(({ header, rows, raw }) => {
      // The parser itself fills up short rows and cuts off long ones.
      for (const line of raw.trim().split('\n')) expect(cellsIn(line), line).toBe(header.length);
      return { head: header.map(({ text }) => text), rows: rows.map((row) => row.map(({ text }) => text)) };
    });
}

function cellsIn(line: string): number {
  return line.trim().slice(1, -1).split(/(?<!\\)\|/).length;
}

/** `5 x 4`: columns x rows. */
const shapes = (markdown: string): string[] =>
  tablesOf(markdown).map(({ head, rows }) => `${head.length} x ${rows.length}`);

const DATABASE = [
  'commit',
  'rollback',
  'disk blocks read',
  'blocks hit cache',
  'tuples returned',
  'tuples fetched',
  'tuples_inserted',
  'tuples updated',
  'tuples deleted',
];
const LOAD = ['', 'Request', 'Latency', 'Throughput', '2xxx'];
const headsWith = (before: string): string[] => DATABASE.map((head) => `${before} ${head}`);

describe('the tables of the seeds', () => {
  test('postgres-performance-testing.md, method 1: four tables for each number of connections', async () => {
    const text = await printed('report', runFolder(fixtureJournal(pools)), '--style', 'classic', '--no-limits');
    goldenFile('pools.md', text);
    const tables = tablesOf(text).filter(({ head }) => head[1] === 'Request' || /^(Avg|%) /.test(head[1] ?? ''));
    expect(tables).toHaveLength(12);
    for (const connections of [0, 1, 2]) {
      const [averages, changes, database, percent] = tables.slice(4 * connections, 4 * connections + 4);
      expect([averages?.head, changes?.head]).toEqual([LOAD, LOAD]);
      expect(averages?.rows.map(([name]) => name)).toEqual(['Pool: 10', 'Pool: 25', 'Pool: 35', 'Pool: 50']);
      expect(changes?.rows.map(([name]) => name)).toEqual(['Pool: 25', 'Pool: 35', 'Pool: 50']);
      expect(database?.head).toEqual(['Pool Size', ...headsWith('Avg')]);
      expect(database?.rows.map(([name]) => name)).toEqual(['Default: 10', 'Pool: 25', 'Pool: 35', 'Pool: 50']);
      expect(percent?.head).toEqual(['Pool Size', ...headsWith('%')]);
      // Arithmetic: to what two decimals of both sides allow.
      for (const [row, change] of (changes?.rows ?? []).entries()) {
        for (const column of [1, 2, 3, 4]) {
          const [control, value] = [averages?.rows[0], averages?.rows[row + 1]].map((cells) => Number(cells?.[column]));
          expect(change[column]).toMatch(/^-?\d+\.\d\d%$/);
          const exact = 100 * ((value ?? Number.NaN) / (control ?? Number.NaN) - 1);
          expect(Math.abs(Number.parseFloat(change[column] ?? '') - exact)).toBeLessThan(0.1);
        }
      }
      // The seed's column of returned rows is always 0.00.
      const returned = percent?.rows.map((cells) => cells[5]);
      expect(new Set(returned)).not.toEqual(new Set(['0.00']));
    }
  });

  test('method 2: nine variants by name', async () => {
    const text = await printed('report', runFolder(asBulk(indexes)), '--style', 'classic', '--no-limits');
    goldenFile('indexes.md', text);
    const [averages, changes, ...others] = tablesOf(text).filter(({ head }) => /^(Avg|%) /.test(head[1] ?? ''));
    expect(others).toEqual([]);
    expect(averages?.head).toEqual(['Test', ...headsWith('Avg')]);
    expect(averages?.rows.map(([name]) => name)).toEqual(indexes.variants);
    expect(changes?.rows.map(([name]) => name)).toEqual(indexes.variants?.slice(1));
    // The seed has 100.00 where there were none before.
    expect(changes?.rows.at(-1)?.[2]).toBe('n/a');
  });

  test.each([1, 2])('adhoc-comparison-two-runs.md, run %d: both Deltas, and the setting up', async (number) => {
    const folder = runFolder(fixtureJournal({ ...grids, seed: number }), textOf('comments-adhoc.md'));
    const text = await printed('report', folder, '--style', 'classic', '--no-limits');
    goldenFile(`two-way-run-${number}.md`, text);
    const tables = tablesOf(text);
    const users = tables.find(({ head }) => head[0] === 'Test' && head[1] === 'v9.11.16');
    expect(users?.head).toEqual(['Test', 'v9.11.16', 'v10.5.7', 'Delta']);
    expect(users?.rows.map(([name]) => name)).toEqual(['MySQL', 'Postgres', 'Delta']);
    expect(users?.rows.map((cells) => cells.at(-1))).toEqual([
      expect.stringMatching(/^\d+\.\d\d%$/),
      expect.stringMatching(/^\d+\.\d\d%$/),
      '',
    ]);
    expect(tables[0]).toMatchObject({ head: ['Setting', 'Value'] });
    expect(tables[0]?.rows).toHaveLength(11);
    expect(text.indexOf('## Action Items')).toBeGreaterThan(text.indexOf('## Comments'));
    expect(existsSync(join(folder, 'comments.md'))).toBe(true);
  });

  test('adhoc-comparison-two-runs.md and version-comparison.md: ten graphs, two side by side', async () => {
    const folder = watchedGridFolder();
    const text = await printed('report', folder, '--style', 'classic', '--no-limits');
    const graphs = text.slice(text.indexOf('### Graphs'));
    goldenFile('graphs.md', graphs);
    const overTime = tablesOf(graphs).at(-1);
    const images = [overTime?.head ?? [], ...(overTime?.rows ?? [])];
    expect(images.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2]);
    const files = images.flat().map((image) => /^!\[[^\]]+\]\((charts\/[\w-]+\.svg)\)$/.exec(image)?.[1] ?? image);
    expect(new Set(files).size).toBe(10);
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).toMatch(/^<svg /);
  });

  test('client-library-regression.md: the summary, and what ab prints of each', async () => {
    const folder = runFolder(withoutAnswers(libraries));
    const text = await printed('report', folder, '--style', 'classic', '--no-limits');
    goldenFile('libraries.md', text);
    const codes = lexer(text)
      .filter((token): token is Tokens.Code => token.type === 'code')
      .map((token) => token.text);
    const [summary = '', ...blocks] = codes;
    expect(summary.split('\n').map((line) => line.replace(/\d+\.\d\d/g, '#'))).toEqual([
      ...[10, 30, 50, 80].map((parallel) => `${parallel} parallel => v5: #req/sec, v6: #req/sec`),
      '100 parallel => v5: #req/sec, v6: timeout',
    ]);
    expect(blocks).toHaveLength(10);
    for (const block of blocks.slice(0, 9)) {
      expect(block).toMatch(/^Concurrency Level: +\d+\nTime taken for tests: +4\.000 seconds\nComplete requests: +\d+\n/);
      expect(block).toMatch(/\nConnect: +0( +[\d.]+){4}\nProcessing:( +[\d.]+){5}\nWaiting:( +[\d.]+){5}\nTotal:( +[\d.]+){5}\n/);
      expect(block.match(/^ *\d+% +[\d.]+/gm)).toHaveLength(9);
    }
    expect(blocks[9]).toMatch(/Requests per second: +timeout\n/);
    // The report itself has the same as tables.
    const report = readFileSync(join(folder, 'report.md'), 'utf8');
    expect(shapes(report)).toEqual(expect.arrayContaining(['3 x 9', '3 x 20']));
    expect(report).toMatch(/\| requests per second +\| +[\d.,]+ \| +timeout \|/);
  });

  test('module-upgrade.md: a table of named requests for each release', async () => {
    const folder = runFolder(fixtureJournal(modules), textOf('comments-modules.md'));
    const text = await printed('report', folder, '--style', 'classic', '--no-limits');
    goldenFile('modules.md', text);
    const tables = tablesOf(text);
    expect(tables[0]?.head).toEqual(['Test', 'Virtual Users', 'Duration', 'OKAPI log level', 'Loans per User']);
    const apis = tables.filter(({ head }) => head[0] === 'API');
    expect(apis).toHaveLength(2);
    for (const { head, rows } of apis) {
      expect(head).toEqual(['API', '5 Users Average', '8 Users Average']);
      expect(rows).toHaveLength(3);
      for (const [, five, eight] of rows) expect([five, eight]).toEqual([expect.stringMatching(/^\d+ ms$/), expect.stringMatching(/^\d+ ms$/)]);
    }
  });

  test('version-comparison.md: a Delta of numbers that somebody already has', async () => {
    const file = join(here, 'users.md');
    const one = await printed('delta', file, '--control', 'v9.3.0', '--style', 'classic');
    const both = await printed('delta', file, '--control', 'v9.3.0', '--style', 'classic', '--two-way');
    goldenFile('users-delta.md', `${one}\n${both}`);
    const [delta, twoWay] = [tablesOf(one)[0], tablesOf(both)[0]];
    expect(delta?.head).toEqual(['Test', 'v9.3.0', 'v9.4.0-rc3', 'Delta']);
    expect(delta?.rows).toEqual([
      ['MySQL', '10420', '11003', '5.60%'],
      ['Postgres', '10788', '11397', '5.65%'],
    ]);
    expect(twoWay?.rows.at(-1)).toEqual(['Delta', '3.53%', '3.58%', '']);
  });
});
