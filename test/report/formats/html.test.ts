import { describe, expect, test } from 'vitest';
import type { GateResult } from '../../../src/judge/verdicts/gates.ts';
import type { ReportContent } from '../../../src/report/formats/format.ts';
import { renderHtml } from '../../../src/report/formats/html.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { contentOf } from '../report-content.ts';

const hostile = '<b onclick="x">';
const content = contentOf(
  fixtureJournal({ variants: ['a', hostile], control: 'a', connections: [1, 25], rounds: 8, noise: 0.01 }),
);
const html = renderHtml(content);

describe('the HTML report', () => {
  test('needs nothing but itself', () => {
    expect(html).not.toMatch(/<(script|link|img|iframe)\b|\bsrc=|@import|url\(/);
    expect(html).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`,
    );
  });

  test('shows names as they are, and runs none of them', () => {
    expect(html).not.toContain('<b onclick');
    expect(html).toContain('&lt;b onclick=&quot;x&quot;&gt;');
  });

  test('has every table of the report, each row as wide as its head, with a caption and named rows', () => {
    const tables = [...html.matchAll(/<table><caption>[\s\S]*?<\/table>/g)].map(([table]) => table);
    const titles = tables.map((table) => /<caption>(.*?)<\/caption>/.exec(table)?.[1]);
    for (const { tables, folded } of content.document.sections)
      for (const { title } of [...tables, ...folded]) expect(titles).toContain(title);
    for (const { tables } of content.document.details) for (const { title } of tables) expect(titles).toContain(title);
    for (const table of tables) {
      const width = table.match(/<th scope="col"/g)?.length ?? 0;
      for (const [row] of table.matchAll(/<tr><th scope="row"[\s\S]*?<\/tr>/g))
        expect(row.match(/<td/g)).toHaveLength(width - 1);
    }
  });

  test('has gates under a heading of their own, a failed one in the colour of bad news', () => {
    const gate: GateResult = {
      kind: 'change',
      gate: 'rps > -5%',
      metric: 'requests_per_s',
      limitPercent: -5,
      variant: 'b',
      load: { connections: 25 },
      outcome: 'pass',
      failed: false,
      deltaPercent: 1,
      interval: [-1, 3],
      notes: [],
      moreMinutes: null,
    };
    const failed: GateResult = { ...gate, gate: 'p95_ms < +10%', outcome: 'fail', failed: true };
    const shown = renderHtml({ ...content, summary: { ...content.summary, gates: [gate, failed] } });
    expect(shown).toMatch(
      /<h3>Gates<\/h3>\s*<ul><li class="good">Gate rps &gt; -5% passes .*<li class="bad">Gate p95_ms &lt; \+10% fails /,
    );
    expect(html).not.toContain('<h3>Gates');
  });

  test('has a bar for every change, and the A/A floor on each axis', () => {
    const [first = ''] = html.match(/<table class="changes">[\s\S]*?<\/table>/) ?? [];
    expect(first).toContain('Change of 2xx/s, 1 connection');
    expect(first.match(/<rect class="bar /g)).toHaveLength(2);
    expect(first.match(/<rect class="floor"/g)).toHaveLength(2);
    expect(first).toContain('a again (A/A)');
  });

  test('has the contents of what is there, in headings of falling size', () => {
    const links = [...html.matchAll(/<a href="#([a-z-]+)">/g)].map(([, id]) => id);
    const heads = [...html.matchAll(/<h2 id="([a-z-]+)">/g)].map(([, id]) => id);
    expect(links).toEqual(heads);
    expect(heads).toEqual([
      'answer',
      'changes',
      'set-up',
      'loads',
      'latency',
      'time',
      'rounds',
      'tables',
      'scenario',
      'reading',
    ]);
    const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    for (const [place, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[place - 1] ?? 0) + 1);
  });

  test('says that the control is drawn over load levels with its arms together: the tables have a row for each', () => {
    expect(html).toContain('the control is drawn with its arms together');
  });

  test('tells the range of each line to who cannot see it', () => {
    expect(html).toMatch(/aria-label="2xx\/s, by connections\. a: [\d.,]+ to [\d.,]+, mean [\d.,]+; &lt;b/);
  });
});

describe('comments', () => {
  const withComments = (markdown: string): string =>
    renderHtml({ ...content, comments: [{ heading: 'Next steps', markdown }] } satisfies ReportContent);

  test('stand on the page as they were written', () => {
    const page = withComments(
      '# Why\n\nTake **25**, see [the issue](https://example.org/1).\n\n| a | b |\n| - | - |\n| 1 | 2 |',
    );
    expect(page).toContain('<h3>Next steps</h3>');
    expect(page).toContain('<h4>Why</h4>');
    expect(page).toContain('<strong>25</strong>');
    expect(page).toContain('<a href="https://example.org/1" rel="noopener noreferrer">the issue</a>');
    expect(page).toContain('<td>1</td>');
  });

  test('do nothing: tags, scripts, pictures and odd addresses are text', () => {
    const page = withComments(
      '<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n![p](https://e.example/p.png) [x](javascript:alert(1)) [y](data:text/html,1)\n\n<iframe src="https://e.example">\n\n- [ ] task\n\n\u001b[2J<https://e.example/"onclick="x>',
    );
    const [comments = ''] = page.match(/<div class="comments">[\s\S]*?<\/div>/) ?? [];
    const tags = new Set([...comments.matchAll(/<([a-z]+)/g)].map(([, tag]) => tag));
    expect([...tags].sort()).toEqual(['a', 'div', 'li', 'p', 'ul']);
    expect(comments).not.toMatch(/href="(javascript|data)/);
    expect(comments.replace(/"[^"]*"/g, '""')).not.toMatch(/\son\w+=""/);
    expect(comments).toContain('[picture: p]');
    expect(comments).not.toContain('\u001b');
  });
});
