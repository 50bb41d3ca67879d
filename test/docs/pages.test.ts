import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { madeFiles } from '../../scripts/docs/made-files.ts';
import { answersFor } from '../../src/journal/run/percentiles.ts';
import { validityLimits } from '../../src/measure/run/validity/validity.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { scenarioSchema } from '../../src/scenario/schema.ts';
import { cli } from '../cli/cli.ts';
import { anchorsOf, blocksOf, linksOf, pages, proseOf, researchPages, textOf, wordsIn } from './pages.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const unique = (words: (string | undefined)[]): string[] => [...new Set(words.filter((word) => word !== undefined))];
const everything = pages.map(textOf).join('\n');

describe('README and docs', () => {
  it('have made parts that are up to date (else: npm run docs)', async () => {
    for (const [file, content] of await madeFiles()) expect(readFileSync(file, 'utf8'), file).toBe(content);
  });

  it('have links that lead somewhere', () => {
    const lost = [...pages, ...researchPages, 'CONTRIBUTING.md', 'scripts/kubernetes/README.md']
      .flatMap(linksOf)
      .filter(({ file, heading }) => !existsSync(file) || (heading !== null && !anchorsOf(file).includes(heading)));
    expect(lost).toEqual([]);
  });

  it('have the pages and headings that messages and comments of src name', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const named = sources.flatMap((name) => [
      ...readFileSync(join('src', name), 'utf8').matchAll(/(?<![\w./-])((?:docs|research)\/[\w-]+\.md)(?:#([\w-]+))?/g),
    ]);
    expect(named.length).toBeGreaterThan(2);
    const lost = named.filter(([, file = '', heading]) => {
      return !existsSync(file) || (heading !== undefined && !anchorsOf(file).includes(heading));
    });
    expect(lost.map(([place]) => place)).toEqual([]);
  });

  it('say how many answers a percentile of a bounded run needs', () => {
    const needs = `p95 from ${answersFor(95)} answers of a round on, p99 from ${answersFor(99).toLocaleString('en')}`;
    expect(textOf('docs/loads.md')).toContain(needs);
  });

  it('say from when on requests that are sent late spoil a slice', () => {
    const { sendLagP99Us, sendLagShare } = validityLimits;
    const late = `over ${sendLagP99Us / 1000} ms and over ${100 * sendLagShare} % of the median latency`;
    for (const page of ['docs/loads.md', 'docs/judging.md']) expect(textOf(page), page).toContain(late);
    expect(textOf('docs/judging.md')).toContain(
      `${late}; in a search for [capacity](loads.md#capacity) of the least latency limit`,
    );
    expect(textOf('docs/loads.md')).toContain(
      'a tenth of the least latency limit (of the median latency, where that is more',
    );
  });

  it('say of each kind of load what it is for, and of autocannon which one, and when to take it', () => {
    const [table = ''] = textOf('docs/loads.md').split('\n## ');
    const keys = ['connections', 'rate', 'count', 'users', 'capacity', 'k6', 'autocannon'];
    expect(keys.filter((key) => !new RegExp(`^\\| \`[^|]*\\b${key}\\b`, 'm').test(table))).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    // Pinned: its results are those that the page names.
    expect(textOf('docs/loads.md')).toContain(`autocannon ${dependencies.autocannon}, which comes with pgsweep`);
    expect(dependencies.autocannon).toMatch(/^\d+\.\d+\.\d+$/);
    expect(textOf('docs/loads.md')).toMatch(
      /Use it to check pgsweep by a tool that you know, or for pipelining\.\s+Otherwise leave it out/,
    );
  });

  it("say in a sentence which of Postgres's housekeeping is off, and what the first screen promises", () => {
    for (const page of ['README.md', 'docs/reading.md'])
      expect(textOf(page), page).toContain('on the first screen share');
    expect(textOf('README.md')).toContain('Autovacuum is off and checkpoints come once a day');
    expect(textOf('docs/stacks.md')).toContain('Autovacuum is off, and checkpoints come once a day');
    expect(textOf('research/measuring.md')).toContain(
      'starts Postgres without autovacuum and with one checkpoint a day',
    );
  });

  it('are all reached from the front page', () => {
    const linked = new Set(linksOf('README.md').map(({ file }) => file));
    expect(pages.filter((page) => page !== 'README.md' && !linked.has(page))).toEqual([]);
  });

  it('name npm scripts that exist', () => {
    const named = unique(
      [...everything.matchAll(/(?<!such as )npm run (?:--silent )?([a-z:-]*[a-z])/g)].map((match) => match[1]),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('name options that exist', () => {
    const known = unique([...textOf('docs/commands.md').matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1]));
    const named = unique(
      [
        ...pages
          .map(proseOf)
          .join('\n')
          .matchAll(/`(--[a-z-]+)/g),
      ].map((match) => match[1]),
    );
    expect(known.length).toBeGreaterThan(20);
    expect(named.filter((option) => !known.includes(option))).toEqual([]);
  });

  it('name scenarios that exist, and all of them', () => {
    const named = unique([...everything.matchAll(/\bscenarios\/[a-z-]+\.yaml/g)].map(([file]) => file));
    const files = readdirSync('scenarios').filter((name) => name.endsWith('.yaml'));
    expect(named.sort()).toEqual(files.map((name) => join('scenarios', name)).sort());
  });
});

describe('pages for a reader', () => {
  const docs = pages.filter((page) => page !== 'README.md');

  it('are short', () => {
    const words = docs.reduce((sum, page) => sum + wordsIn(textOf(page)), 0);
    expect(words).toBeLessThanOrEqual(28_000);
    expect(wordsIn(textOf('docs/start.md'))).toBeLessThanOrEqual(300);
  });

  it.each([
    ['an old state of the program', /\b(until now|is gone|no longer)\b/i],
    ['a commit', /\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}\b/],
  ])('name no %s', (_, found) => {
    expect(pages.filter((page) => found.test(proseOf(page)))).toEqual([]);
  });

  it('offer npx only for a package that is installed', () => {
    expect(pages.filter((page) => /\bnpx (?!--no )(\S+ )*pgsweep\b/.test(textOf(page)))).toEqual([]);
  });
});

describe('the front page', () => {
  const lines = textOf('README.md').split('\n');

  it('is short, and so are its paragraphs', () => {
    expect(lines.length).toBeLessThanOrEqual(150);
    const paragraphs = proseOf('README.md').split(/\n\n|\n- /);
    const long = paragraphs.filter((text) => !text.startsWith('|') && text.split(/\s+/).length > 80);
    expect(long).toEqual([]);
  });

  it('begins with the two commands', () => {
    const [first] = blocksOf('README.md');
    expect(first?.text.split('\n').map((line) => line.split(/\s+#/)[0])).toEqual([
      'npm ci && npm run sweep',
      'npm test',
    ]);
  });
});

describe('every YAML block is a scenario', () => {
  const blocks = pages.flatMap((page) => blocksOf(page)).filter(({ language }) => language === 'yaml');
  const parent = mkdtempSync(join(tmpdir(), 'pgsweep-docs-'));
  const folder = join(parent, 'bench');
  beforeAll(() => {
    cpSync('docs/examples/items', folder, { recursive: true });
    for (const other of ['base', 'my-service', 'service-next']) mkdirSync(join(parent, other));
    for (const migration of ['plain', 'two-steps']) writeFileSync(join(folder, `${migration}.sql`), '');
    for (const secret of ['API_TOKEN', 'BENCH_PASSWORD', 'EMAIL', 'PASSWORD']) vi.stubEnv(secret, secret.toLowerCase());
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(parent, { recursive: true });
  });

  it.each(blocks)('$page:$line', ({ text }) => {
    const written = parse(text);
    const document = { ...whatIsLeftOut(written), ...written };
    expect(scenarioSchema.safeParse(document).error).toBeUndefined();
    expect(parseScenario(JSON.stringify(document), join(folder, 'mine.yaml')).variants.length).toBeGreaterThan(1);
  });
});

/** A block that is about a part of a scenario has the rest of any. */
function whatIsLeftOut({ target, sweep, variants }: Record<string, unknown>): object {
  const hasVariants = sweep !== undefined || variants !== undefined;
  return {
    ...(target === undefined && { target: { command: 'node server.mjs' } }),
    ...(!hasVariants && { variants: { Control: {}, Other: { env: { OTHER: 'yes' } } }, control: 'Control' }),
    load: { connections: 1, requests: [{ path: '/items' }] },
  };
}

describe('the commands page', () => {
  it('has the help of every command, each with examples', async () => {
    const { out } = await cli('--help');
    const commands = [...out.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
    const help = blocksOf('docs/commands.md').filter(({ language }) => language === 'text');
    // A command may have others below it.
    expect(unique(help.map(({ text }) => /^Usage: pgsweep ([a-z-]+)/.exec(text)?.[1]))).toEqual(commands);
    expect(help.filter(({ text }) => !text.includes('Examples:'))).toEqual([]);
  });
});

describe('the page about extending', () => {
  it('names folders of src that exist, and all of them', () => {
    const named = [...textOf('docs/extending.md').matchAll(/^src\/([\w-]+) /gm)].map((match) => match[1]);
    expect(named.sort()).toEqual(readdirSync('src').sort());
  });
});

describe('troubleshooting', () => {
  const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join('src', name), 'utf8'))
    .join('\n');
  const messages = [...proseOf('docs/troubleshooting.md').matchAll(/^\| `([^`]+)`/gm)].flatMap(
    ([, text]) => text ?? [],
  );

  it.each(messages)('explains a message that there is: %s', (message) => {
    const parts = message.split('…').filter((part) => part.trim().length > 2);
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter((part) => !source.includes(part))).toEqual([]);
  });
});
