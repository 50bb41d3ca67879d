import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeReport } from '../../../src/report/write-report.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { contentOf } from '../../report/report-content.ts';
import { needs } from '../../support/needs.ts';

const chromium = await needs('chromium');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Something of everything that a page may show: effects, long names, samples, findings, comments. */
const options: FixtureOptions = {
  title: 'Pools of the new service',
  variants: ['pool=10', 'pool=25', 'a variant whose name is a whole sentence and goes on for some time', 'pool=50'],
  control: 'pool=10',
  connections: [1, 25, 50],
  rounds: 6,
  noise: 0.02,
  effect: ({ variant, connections }) =>
    variant === 'pool=50' && connections > 1 ? -0.2 : variant === 'pool=25' ? 0.1 : 0,
  probes: ({ variant, round }) => ({
    processes: { service_cpu_cores: 0.2 + 0.01 * round, postgres_cpu_cores: variant === 'pool=50' ? 1.9 : 0.5 },
    'wait-events': { lock_wait_share: variant === 'pool=25' ? 0.6 : 0.01, busy_connections_mean: 8 },
  }),
  failures: ({ variant }) => (variant === 'pool=50' ? { statuses: { 500: 9 }, timeouts: 2 } : {}),
};

const comments = `First on Friday, again on Monday.

## Next steps

- [x] measure, [ ] decide: <b>not bold</b> ![picture](https://example.org/p.png) [issue](https://example.org/1)

| who | what |
| --- | --- |
| all | \`autovacuum_vacuum_cost_limit_and_everything_that_belongs_to_it_in_one_word\` |
`;

describe('report.html in a browser', chromium.orSkip, () => {
  let folder = '';
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (!chromium.isHere) return;
    folder = mkdtempSync(join(tmpdir(), 'pgsweep-page-'));
    const journal = fixtureJournal(options);
    writeFileSync(join(folder, 'comments.md'), comments);
    mkdirSync(join(folder, 'samples'));
    const samples = journal.records.flatMap((record) =>
      record.type === 'slice'
        ? [`${record.startedAt},${record.round},${record.slice},${record.arm},${1 + record.slice}`]
        : [],
    );
    writeFileSync(join(folder, 'samples', 'wait-events.csv'), ['at,round,slice,arm,busy', ...samples, ''].join('\n'));
    await writeReport(folder, contentOf(journal, folder));
    // The page is our own, and root has no sandbox.
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
    browser = await launch({ executablePath: chromium.has, args });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  /** The page in a window of its own, and every address that it asked for. */
  const open = async (width: number, scheme: string): Promise<{ page: Page; asked: string[]; url: string }> => {
    const page = await browser?.newPage();
    if (page === undefined) throw new Error('there is no browser');
    onTestFinished(() => page.close());
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const url = pathToFileURL(join(folder, 'report.html')).href;
    await page.goto(url, { waitUntil: 'load' });
    return { page, asked, url };
  };
  const ask = async <T>(page: Page, expression: string): Promise<T> => (await page.evaluate(expression)) as T;
  const unfold = (page: Page): Promise<unknown> =>
    ask(page, `document.querySelectorAll('details').forEach((one) => { one.open = true; })`);

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ])(
    'at %i px in %s axe-core finds nothing, nothing is wider than the window, and nothing is fetched',
    async (width, scheme) => {
      const { page, asked, url } = await open(width, scheme);
      await unfold(page);
      const [content, window] = await ask<[number, number]>(page, '[document.documentElement.scrollWidth, innerWidth]');
      expect(content).toBeLessThanOrEqual(window);
      expect(window).toBe(width);
      await ask(page, axe);
      const { violations, passes } = await ask<AxeResults>(page, 'axe.run()');
      expect(passes.length).toBeGreaterThan(20);
      expect(violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`)).toEqual([]);
      expect(asked).toEqual([url]);
    },
    60_000,
  );

  it('on a phone the first table shows its changes without scrolling', async () => {
    const { page } = await open(400, 'light');
    const [right, width, changes] = await ask<[number, number, number]>(
      page,
      `(() => {
        const cells = [...document.querySelectorAll('.stacked td.r')];
        return [Math.max(...cells.map((one) => one.getBoundingClientRect().right)), innerWidth, cells.length];
      })()`,
    );
    expect(changes).toBeGreaterThan(0);
    expect(right).toBeLessThanOrEqual(width);
  });

  it('bars lie where the axis says', async () => {
    const { page } = await open(1280, 'light');
    const [said, places] = await ask<[string, number[]]>(
      page,
      `(() => {
        const table = document.querySelector('table.changes');
        const row = table.querySelector('tbody tr');
        const texts = [...table.querySelectorAll('thead text')];
        const labels = texts.map((one) => Number(one.textContent));
        const ticks = texts.map((one) => one.getBoundingClientRect());
        const middles = ticks.map(({ left, right }) => (left + right) / 2);
        const scale = (middles.at(-1) - middles[0]) / (labels.at(-1) - labels[0]);
        const { left, right } = row.querySelector('rect.bar').getBoundingClientRect();
        return [row.querySelector('.said').textContent, [left, right].map((x) => labels[0] + (x - middles[0]) / scale)];
      })()`,
    );
    const interval = /\[(.*), (.*)\]/.exec(said)?.slice(1).map(Number) ?? [];
    expect(interval).toHaveLength(2);
    // What is said is rounded, and a pixel is some hundredths of a percent.
    for (const [side, end] of interval.entries()) expect(Math.abs((places[side] ?? 0) - end)).toBeLessThan(0.6);
  });

  it('light and dark differ, and each has its own ground', async () => {
    const ground = async (scheme: string): Promise<string> =>
      ask((await open(1280, scheme)).page, 'getComputedStyle(document.body).backgroundColor');
    expect(await ground('light')).toBe('rgb(255, 255, 255)');
    expect(await ground('dark')).toBe('rgb(15, 19, 24)');
  });

  it('the keyboard reaches the answer at once, and unfolds what is folded', async () => {
    const { page, url } = await open(1280, 'light');
    await page.keyboard.press('Tab');
    expect(await ask(page, 'document.activeElement.textContent')).toBe('To the answer');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toBe(`${url}#answer`);
    await ask(page, `document.querySelector('details:not([open]) > summary').focus()`);
    await page.keyboard.press('Enter');
    await expect.poll(() => ask(page, 'document.activeElement.parentElement.open')).toBe(true);
  });

  it('a screen reader gets the page by headings, tables with captions, and pictures in words', async () => {
    const { page } = await open(1280, 'light');
    await unfold(page);
    const tree = await page.accessibility.snapshot({ interestingOnly: false });
    const seen = new Map<string, string[]>();
    const walk = (node: NonNullable<typeof tree>): void => {
      seen.set(node.role, [...(seen.get(node.role) ?? []), node.name ?? '']);
      for (const child of node.children ?? []) walk(child);
    };
    if (tree !== null) walk(tree);
    expect(seen.get('heading')?.slice(0, 2)).toEqual([options.title, 'Answer']);
    expect(seen.get('table')?.every((name) => name !== '')).toBe(true);
    const pictures = seen.get('image') ?? seen.get('img') ?? [];
    expect(pictures).toEqual(expect.arrayContaining([expect.stringMatching(/^2xx\/s, by connections\. pool=10: /)]));
  });

  it('on paper it is light, and everything is unfolded', async () => {
    const { page } = await open(1280, 'dark');
    await page.emulateMediaType('print');
    // A4 between its margins, in CSS pixels.
    await page.setViewport({ width: 718, height: 1000 });
    expect(await ask(page, 'document.documentElement.scrollWidth')).toBeLessThanOrEqual(718);
    expect(await ask(page, 'getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(
      await ask(page, `document.querySelector('details:not([open]) pre').getBoundingClientRect().height`),
    ).toBeGreaterThan(100);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
  }, 60_000);
});
