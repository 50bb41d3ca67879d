import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lexer, type Token } from 'marked';
import { describe, expect, onTestFinished, test } from 'vitest';
import { visibleLines } from '../../src/base/visible.ts';
import { parseComments, readComments } from '../../src/report/comments.ts';

const usual = `# Pool sizes on the new machine

First runs, on Friday.

## Comments

- **25** is as good as 10: see \`Promise<void>\`, a < b.
- [MM-64590]: the buffer of the network card.

\`\`\`sh
## not a heading
sudo ethtool -G enp39s0 rx 8192 <iface>
\`\`\`

## Next steps

| what | who |
| --- | --- |
| buffer | Dylan |

## Setup ##
`;

describe('comments.md', () => {
  test('has sections by headings of the second level, and what stands before them', () => {
    const sections = parseComments(usual);
    expect(sections.map(({ heading }) => heading)).toEqual(['Comments', 'Comments', 'Next steps']);
    const [first, second, next] = sections.map(({ markdown }) => markdown);
    expect(first).toBe('### Pool sizes on the new machine\n\nFirst runs, on Friday.');
    expect(second).toContain('a < b');
    expect(second).toContain('## not a heading\nsudo ethtool -G enp39s0 rx 8192 <iface>');
    expect(lexer(second ?? '').map(({ type }) => type)).toContain('code');
    expect(next).toBe('| what | who |\n| --- | --- |\n| buffer | Dylan |');
  });

  test('code of one line shows as it was written', () => {
    const [{ markdown = '' } = {}] = parseComments('see `Promise<void>` and <b>bold</b>\n\n<u>under</u>');
    expect(markdown.replaceAll('\u200b', '')).toBe('see `Promise<void>` and <b>bold</b>\n\n&lt;u>under&lt;/u>');
  });
});

/** Texts that would swallow, or become, what stands after them in a report. */
const hostile: Readonly<Record<string, string>> = {
  'a fence that is never closed': 'before\n\n```sh\nrm -rf',
  'a fence of tildes': '~~~~ text\n~~~\n',
  'an indented fence': 'x\n\n ```\ncode',
  'a fence in a list': '- a\n\n   ```\n<details>',
  'a fence in a quote': '> ```\n> <details>',
  'a fence after a fence in a list': '- ```\n<details>\n',
  details: '<details><summary>x</summary>\n\ntext',
  'a comment': 'text <!-- and the rest\n\nof it',
  'the marker of a report': '<!-- pgsweep:report pool-size -->',
  'a script': '<script>\nalert(1)\n',
  'a tag over two lines': '<img\nsrc=x onerror=alert(1)>',
  'a CDATA section': '<![CDATA[ x',
  'code that is none': '- a `x\n- y `\n  `<details>` z`',
  'code that is closed in another item': 'a `\n`<details>`\n\n- b',
  'a tag that a span of code begins in': '<a title="`">`<details>`',
  'a link to an interval': '[-12.1, -7.0]: https://example.com/evil',
  'control characters': 'a\u001b[2Jb\u0000c\u202ed',
  'an autolink': '<https://example.com>',
  headings: '# as large as the report\n\ntext\n===',
};

describe('text that anybody chose', () => {
  test.each(Object.entries(hostile))('%s leaves what follows alone, and no HTML', (_, text) => {
    const sections = parseComments(`## Comments\n${text}`);
    expect(sections).toHaveLength(1);
    const markdown = sections[0]?.markdown ?? '';
    const seen = markdown.replaceAll('\u200b', '');
    expect(visibleLines(seen)).toBe(seen);
    const after = '<details><summary>Averages</summary>\n\n[-12.1, -7.0]\n\n</details>';
    const tokens = lexer(`${markdown}\n\n${after}\n`);
    const html = all(tokens).filter(({ type }) => type === 'html');
    expect(html.map(({ raw }) => raw.trim())).toEqual(['<details><summary>Averages</summary>', '</details>']);
    expect(tokens.slice(-4).filter(({ type }) => type === 'paragraph')).toHaveLength(1);
    expect(all(tokens).filter((token) => token.type === 'link' && token.text.startsWith('-12'))).toEqual([]);
    expect(all(tokens).filter((token) => token.type === 'heading' && token.depth === 1)).toEqual([]);
  });
});

describe('the file', () => {
  test('may be missing; of one that is too long the beginning is read, of a link nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-comments-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'comments.md');
    expect(readComments(file)).toEqual([]);
    writeFileSync(file, '## Setup\r\n\r\ntwo machines\r\n');
    expect(readComments(file)).toEqual([{ heading: 'Setup', markdown: 'two machines' }]);
    writeFileSync(file, 'x'.repeat(20_000));
    expect(readComments(file)).toEqual([{ heading: 'Comments', markdown: 'x'.repeat(20_000) }]);
    writeFileSync(file, 'x'.repeat(20_001));
    expect(readComments(file)).toEqual([
      { heading: 'Comments', markdown: 'x'.repeat(20_000) },
      { heading: 'Left out', markdown: 'comments.md has more than 20 KB: the rest is left out.' },
    ]);
    symlinkSync(file, join(folder, 'link.md'));
    expect(JSON.stringify(readComments(join(folder, 'link.md')))).not.toContain('xx');
  });
});

function all(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token): Token[] => {
    const nested = 'tokens' in token && token.tokens !== undefined ? all(token.tokens) : [];
    return [token, ...nested, ...(token.type === 'list' ? all(token.items) : [])];
  });
}
