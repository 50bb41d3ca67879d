import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visible, visibleLines } from '../../src/base/visible.ts';
import { summarize } from '../../src/judge/summary.ts';
import { documentOf } from '../../src/report/document.ts';
import { renderTerminal } from '../../src/report/formats/terminal.ts';
import { writeSliceSamples } from '../../src/report/slice-samples.ts';
import { summaryJson, writeReport } from '../../src/report/write-report.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { contentOf } from './report-content.ts';

/** A name that tries each output: terminal, Markdown, HTML, SVG, spreadsheets, paths. */
const hostile = [
  '=HYPERLINK("http://evil.example","x")',
  '+1+cmd|"/c calc"!A0',
  '-2;=1+1',
  '@SUM(1)\r\n=2',
  '\u001b[2J\u001b]0;title\u0007\u009b31m\u202eevil\u2066\u2028\u0000',
  '<script>alert(1)</script><img src=x onerror=alert(1)>\' onload="x',
  '](javascript:alert(1)) ![i](http://evil.example/i.png) <!-- --> </details>',
  '# head',
  '[x]: http://evil.example',
  '- [ ] task www.evil.example a@evil.example GH#1 $\\href{x}{y}$ `code`',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
];

const probe = '../../escaped';
const journal = fixtureJournal({
  title: `# ${hostile.join(' ')}`,
  variants: ['a', ...hostile],
  control: 'a',
  connections: [1, 25],
  rounds: 4,
  probes: () => ({ [probe]: { '=x': 1, '\u001b[31m': 2 }, '/tmp/x': { y: 1 }, slices: { z: 1 } }),
  probeRows: () => ({
    [probe]: [{ statement: '=1+1' }],
    '/tmp/x': [{ a: 1 }],
    slices: [{ '=head': '=1+1', text: 'two\nlines' }],
  }),
  failures: () => ({ statuses: { '=500': 1, '\u001b[5m': 1 } }),
});
const summary = summarize(journal);

let parent = '';
let folder = '';
const written: Record<string, string> = {};
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'pgsweep-hostile-'));
  folder = join(parent, 'a', 'b', 'run');
  mkdirSync(folder, { recursive: true });
  await writeReport(folder, contentOf(journal, folder, summary));
  writeSliceSamples(folder, journal);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (lstatSync(join(folder, name)).isFile()) written[name] = readFileSync(join(folder, name), 'utf8');
});
afterAll(() => rmSync(parent, { recursive: true }));

it('no name becomes a path', () => {
  const numbered = /^charts\/(loads|latency|time-\d+)-\d+\.svg$/;
  expect(Object.keys(written).some((name) => numbered.test(name))).toBe(true);
  expect(
    Object.keys(written)
      .filter((name) => !numbered.test(name))
      .sort(),
  ).toEqual([
    'averages.csv',
    'charts/requests_per_s.svg',
    'deltas.csv',
    'report.html',
    'report.md',
    'samples/slices-rows.csv',
    'samples/slices.csv',
    'summary.json',
  ]);
  expect(readdirSync(join(parent, 'a'))).toEqual(['b']);
  expect(readdirSync(join(parent, 'a', 'b'))).toEqual(['run']);
});

it('no output holds a character that a terminal obeys or that turns text around', () => {
  const terminal = renderTerminal(documentOf(summary), { colour: false, widthColumns: 120 });
  for (const [name, text] of Object.entries({ ...written, terminal }))
    expect(text.match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)?.index ?? 'none', name).toBe('none');
  expect(terminal).toContain('\\u001b[2J');
});

it('the JSON has the names as they were', () => {
  expect(JSON.parse(summaryJson(summary))).toEqual(JSON.parse(JSON.stringify(summary)));
  expect(JSON.parse(written['summary.json'] ?? '').run.variants).toEqual(['a', ...hostile]);
});

it('no cell of a CSV is a formula, however a spreadsheet divides it', () => {
  for (const name of ['averages.csv', 'deltas.csv', 'samples/slices.csv', 'samples/slices-rows.csv']) {
    // A number may be negative.
    for (const cell of (written[name] ?? '').split(/[,;\t\n]/).map((one) => one.trim().replace(/^"+/, '')))
      if (!/^-?[\d.e+-]+$/.test(cell)) expect(cell, name).not.toMatch(/^[=+\-@]/);
  }
});

it('no tag, script or address of HTML comes out of a name', () => {
  const html = written['report.html'] ?? '';
  const tags = new Set([...html.matchAll(/<\/?([a-z]+)/gi)].map(([, tag]) => tag));
  for (const tag of ['script', 'img', 'iframe', 'object']) expect(tags).not.toContain(tag);
  expect(html).toContain("default-src 'none'");
  // The contents lead to the page's own sections.
  const own = /<a (class="skip" )?href="#[a-z-]+">/g;
  const charts = Object.entries(written).filter(([name]) => name.endsWith('.svg'));
  for (const text of [html.replace(own, ''), ...charts.map(([, svg]) => svg)])
    expect(
      [...text.matchAll(/<[a-z][^>]*>/gi)].filter(([tag]) => /\son\w+=|javascript:|href=/i.test(unquoted(tag))),
    ).toEqual([]);
});

/** A tag without the values of its attributes. */
function unquoted(tag: string): string {
  return tag.replace(/"[^"]*"/g, '""');
}

describe('Markdown', () => {
  it('has no tag but its own, and no link, image, mention, heading or task of a name', () => {
    const graph = /!\[[\p{L}\p{N} ,./%=+-]*\]\(charts\/[a-z0-9_-]+\.svg\)/gu;
    const markdown = (written['report.md'] ?? '').replace(graph, '');
    const own = /<\/?(details|summary)>|<!-- -->|^<!-- pgsweep:report pool-size -->/g;
    expect(markdown.replace(own, '')).not.toMatch(/</);
    expect(markdown.match(/<details>/g)?.length).toBe(markdown.match(/<\/details>/g)?.length);
    expect(markdown).not.toMatch(/\]\(|:\/\/|www\.(?!<!--)|(?<!\\)`<|@(?!<!--)|^\s*- \[[ x]\]|^(- )?\[[^!\]]*\]:/m);
    for (const line of markdown.split('\n')) expect(line).not.toMatch(/^- #{1,6} |^- - /);
    expect(markdown.split('\n').filter((line) => /^# /.test(line))).toHaveLength(1);
  });
});

describe('a folder that leads elsewhere', () => {
  it.each(['charts', 'samples'])('%s is not followed', async (name) => {
    const elsewhere = mkdtempSync(join(parent, 'elsewhere-'));
    const run = mkdtempSync(join(parent, 'run-'));
    symlinkSync(elsewhere, join(run, name));
    const write = async () => {
      await writeReport(run, contentOf(journal, run, summary));
      writeSliceSamples(run, journal);
    };
    await expect(write()).rejects.toThrow(/is a link: the report is written into the run folder alone/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('a file that is a link is replaced, and what it leads to is left alone', async () => {
    const run = mkdtempSync(join(parent, 'run-'));
    const victim = join(parent, 'victim');
    symlinkSync(victim, join(run, 'report.md'));
    await writeReport(run, contentOf(journal, run, summary));
    expect(existsSync(victim)).toBe(false);
    expect(lstatSync(join(run, 'report.md')).isFile()).toBe(true);
  });
});

describe('texts', () => {
  it.each([
    ['plain ünïcode 漢字 €', 'plain ünïcode 漢字 €'],
    ['\u001b[31m', '\\u001b[31m'],
    ['a\nb\tc', 'a\\u000ab\\u0009c'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['\ud800', '\\ud800'],
  ])('%j shows what is not seen', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('keep their lines where they have some', () => {
    expect(visibleLines('a\r\n\tb\u202e')).toBe('a\\u000d\n\tb\\u202e');
  });
});
