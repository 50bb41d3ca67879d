import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleFolder, exampleSummary, thinRun } from '../../scripts/docs/example-run.ts';
import { withPart } from '../../scripts/docs/marked-parts.ts';
import { scenarioTables } from '../../scripts/docs/scenario-tables.ts';

describe('a part of a page', () => {
  const page = 'Before.\n\n<!-- made by npm run docs: a -->\nold\n<!-- end of a -->\n\nAfter.\n';

  it('is put between its comments, and nothing else is touched', () => {
    const made = withPart(page, 'a', 'new');
    expect(made).toBe('Before.\n\n<!-- made by npm run docs: a -->\n\nnew\n\n<!-- end of a -->\n\nAfter.\n');
    expect(withPart(made, 'a', 'new')).toBe(made);
  });

  it('that is not there, or twice, is an error', () => {
    expect(() => withPart(page, 'b', 'new')).toThrow(/one part "b"/);
    expect(() => withPart(page + page, 'a', 'new')).toThrow(/one part "a"/);
    expect(() => withPart(page.replace('<!-- end of a -->', ''), 'a', 'new')).toThrow(/one part "a"/);
  });
});

describe('the tables of a schema', () => {
  it('are one for each object, with what its keys take', () => {
    const tables = scenarioTables({
      type: 'object',
      required: ['target'],
      properties: {
        target: { type: 'object', properties: { url: { type: 'string', description: 'where ${unique} | runs' } } },
        wait: { title: 'duration', type: ['string', 'number'] },
        sweep: {
          additionalProperties: { type: 'object', properties: { levels: { items: { type: ['integer', 'boolean'] } } } },
        },
      },
    });
    const lines = tables.split('\n').filter((line) => line !== '' && !line.startsWith(':-'));
    expect(lines.map((line) => line.replace(/ +/g, ' ').trimEnd())).toEqual([
      '### The whole file',
      'key | takes | meaning',
      '`target` (needed) | keys |',
      '`wait` | duration |',
      '`sweep` | keys by name |',
      '### `target`',
      'key | takes | meaning',
      '`url` | text | where `${unique}` \\| runs',
      '### `sweep.NAME`',
      'key | takes | meaning',
      '`levels` | list of integer or boolean |',
    ]);
  });

  it('show keys once: objects that are alike, have most keys in common, or have keys that take the same', () => {
    const [text, whole, flag] = [{ type: 'string' }, { type: 'integer' }, { enum: ['on', 'off'] }];
    const step = { type: 'object', properties: { path: text, body: text, weight: whole } };
    const tables = scenarioTables({
      type: 'object',
      properties: {
        first: step,
        second: step,
        third: { type: 'object', properties: { path: text, body: text, once: flag } },
        probes: { type: 'object', properties: { network: flag, plans: flag, pressure: flag } },
      },
    });
    const parts = tables.split('\n\n').map((part) => part.split('\n').filter((line) => !line.startsWith(':-')));
    expect(parts.slice(2).map((lines) => lines.join('; ').replace(/ +/g, ' ').trimEnd())).toEqual([
      '### `first`',
      'Also `second`.',
      'key | takes | meaning; `path` | text |; `body` | text |; `weight` | integer |',
      '### `third`',
      'The keys of `first` except `weight`, and:',
      'key | takes | meaning; `once` | `on`, `off` |',
      '### `probes`',
      'key | takes | meaning; `network`, `plans`, `pressure` | `on`, `off` |',
    ]);
  });
});

describe('a run that is thinned for the example', () => {
  it('is judged as before, and its journal is whole', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-example-'));
    try {
      thinRun(exampleFolder, folder);
      const { comparisons, session, notes } = exampleSummary(folder);
      const { comparisons: before, session: sessionBefore } = exampleSummary();
      expect({ comparisons, session, notes }).toEqual({ comparisons: before, session: sessionBefore, notes: [] });
      // As a whole journal is, a line more would be found out.
      const file = join(folder, 'journal.jsonl');
      appendFileSync(file, `${readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)}\n`);
      expect(() => exampleSummary(folder)).toThrow(/^.*journal\.jsonl:\d+: the record of line \d+ stands here$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
