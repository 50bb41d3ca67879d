import { describe, expect, it } from 'vitest';
import { needsPostgres } from '../../../src/journal/link/own-database.ts';
import { withoutSecrets } from '../../../src/journal/run/secret-leaves.ts';
import { twinWarnings } from '../../../src/measure/plan/scenario-warnings.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const load = 'load: { connections: 1, requests: [{ path: / }] }\n';
const own = (variants: string, target = '', more = ''): string =>
  `target: { command: node server.mjs${target} }\nvariants: ${variants}\ncontrol: A\n${load}${more}`;

describe('a service with a database of its own', () => {
  it('is said for all variants, or for one', () => {
    const ofAll = parseScenario(own('{ A: {}, B: { reset: b } }', ', database: none, reset: a'), 'mine.yaml');
    expect(ofAll.variants).toMatchObject([
      { name: 'A', database: 'none', reset: 'a' },
      { name: 'B', database: 'none', reset: 'b' },
    ]);
    expect(needsPostgres(ofAll)).toBe(false);
    const ofOne = parseScenario(own('{ A: {}, B: { database: none } }'), 'mine.yaml');
    expect(ofOne.variants.map(({ database }) => database)).toEqual([undefined, 'none']);
    expect(needsPostgres(ofOne)).toBe(true);
  });

  it('is said for a grid by its target', () => {
    const text = `target: { command: node a.mjs, database: none }\nsweep: { pool: { env: POOL, levels: [1, 2] } }\ncontrol: { pool: 1 }\n${load}`;
    expect(parseScenario(text, 'mine.yaml').variants.map(({ database }) => database)).toEqual(['none', 'none']);
  });

  it('is no twin of one on Postgres', () => {
    const { target, variants } = parseScenario(own('{ A: {}, B: { database: none } }'), 'mine.yaml');
    expect(twinWarnings({ target, variants })).toEqual([]);
  });

  const url = "target: { url: 'http://127.0.0.1:1', database: none }";
  const grid = `target: { command: a, database: none }\nsweep:\n  lock: { setting: work_mem, levels: [1MB, 2MB] }\ncontrol: { lock: 1MB }\n${load}`;
  const live = `target: { command: a, database: none }\nsweep:\n  x: { live: { sql: 'SELECT \${level}' }, levels: [1, 2] }\ncontrol: { x: 1 }\n${load}`;
  const search = (tune: string): string =>
    `target: { command: a, database: none }\ntune: ${tune}\ncontrol: {}\n${load}`;
  it.each([
    ['another word', own('{ A: { database: some } }'), /^2:28: variants\.A\.database: expected none/],
    [
      'a change in it',
      own('{ A: { database: none, settings: { work_mem: 1MB } } }'),
      /^2:34: variants\.A\.settings: database: none/,
    ],
    [
      'an index',
      own('{ A: { createIndex: [CREATE INDEX x ON y (z)] } }', ', database: none'),
      /^2:18: variants\.A\.createIndex: database: none/,
    ],
    ['a factor that sets it', grid, /^3:11: sweep\.lock\.setting: database: none/],
    [
      'a search over a setting of it',
      search('{ a: { setting: work_mem, range: [1MB, 64MB] } }'),
      /^2:14: tune\.a\.setting: database: none[^\n]*$/,
    ],
    ['a search that hides an index', search('{ a: { hideIndex: x } }'), /^2:14: tune\.a\.hideIndex: database: none/],
    [
      'a search that switches in it',
      search('{ a: { live: { setting: work_mem }, levels: [1MB, 2MB] }, b: { live: { hideIndex: x } } }'),
      /^2:22: tune\.a\.live\.setting: database: none.*\n2:78: tune\.b\.live\.hideIndex: database: none/,
    ],
    ['a search over all of it', search('postgres'), /^2:1: tune: database: none has no Postgres of the bench$/],
    ['a switch in it', live, /^3:16: sweep\.x\.live\.sql: database: none/],
    [
      'a way to it',
      own('{ A: { database: none, distance: { rtt: 1ms } } }'),
      /^2:34: variants\.A\.distance: database: none/,
    ],
    [
      'a factor of the way to it',
      `target: { command: a, database: none }\nsweep:\n  far: { rtt: [0, 1ms] }\ncontrol: { far: 0 }\n${load}`,
      /^3:10: sweep\.far\.rtt: database: none/,
    ],
    ['data for it', own('{ A: {} }', ', database: none', 'dataset: { sql: x.sql }\n'), /^5:1: dataset: database: none/],
    [
      'a server for it',
      own('{ A: { database: none } }', '', 'stack: { postgres: { port: 5433 } }\n'),
      /^5:10: stack\.postgres: database: none/,
    ],
    [
      'its restart',
      own('{ A: { database: none } }', '', 'rounds: { restart: server }\n'),
      /^5:11: rounds\.restart: database: none/,
    ],
    [
      'its variable',
      own('{ A: {} }', ', database: none, databaseUrlVariable: X'),
      /target\.databaseUrlVariable: database: none/,
    ],
    [
      'a url',
      `${url}\nvariants: { A: {} }\ncontrol: A\n${load}`,
      /target\.database belongs to a target with command or services/,
    ],
    [
      'the document service',
      `target: { service: documents, reset: x }\nvariants: { A: {} }\ncontrol: A\n${load}`,
      /target\.reset belongs to a target with command or services/,
    ],
  ])('does not go with %s', (_, text, message) => {
    expect(mistakes(text).join('\n')).toMatch(message);
  });

  it('has no distance from a Postgres that the others have', () => {
    const text = own('{ A: {}, B: { database: none } }', '', 'stack: { distance: { rtt: 1ms } }\n');
    const { variants } = parseScenario(text, 'mine.yaml');
    expect(variants.map(({ distance }) => distance)).toEqual([{ rttMs: 1 }, undefined]);
  });

  it('leaves what the others need', () => {
    const more = 'dataset: { command: a }\nstack: { postgres: { port: 5433 } }\n';
    expect(mistakes(own('{ A: {}, B: { database: none } }', '', more))).toEqual([]);
    // Also where a search has another mistake, and so no control.
    const bad = search('{ a: { env: X, range: [2, 1] } }').replace(', database: none', '');
    expect(mistakes(bad + more)).toEqual(['2:29: tune.a.range: expected the smaller end first']);
  });
});

describe('named variants may stand for factors', () => {
  it('of which each has a level of its own', () => {
    const { variants } = parseScenario(
      own('{ A: { factors: { release: v1, db: pg } }, B: { factors: { release: v2, db: pg } } }'),
      'mine.yaml',
    );
    expect(variants.map(({ name, factors }) => ({ name, factors }))).toEqual([
      { name: 'A', factors: { release: 'v1', db: 'pg' } },
      { name: 'B', factors: { release: 'v2', db: 'pg' } },
    ]);
  });

  it.each([
    ['one without', '{ A: { factors: { a: 1 } }, B: {} }', /variants\.B\.factors: expected a level of a, as "A" has/],
    [
      'another',
      '{ A: { factors: { a: 1 } }, B: { factors: { b: 1 } } }',
      /variants\.B\.factors: expected a level of a/,
    ],
    [
      'a combination twice',
      '{ A: { factors: { a: 1 } }, B: { factors: { a: 1 } } }',
      /"A" has the same levels \(a=1\)/,
    ],
  ])('and not %s', (_, variants, message) => {
    expect(mistakes(own(variants)).join('\n')).toMatch(message);
  });

  it('and keep their secrets as others do', () => {
    const scenario = parseScenario(
      own('{ A: { factors: { a: 1 }, env: { DB_PASSWORD: hunter22 } }, B: { factors: { a: 2 } } }'),
      'mine.yaml',
    );
    expect(withoutSecrets(scenario, null).masked.variants[0]?.env).toEqual({ DB_PASSWORD: '***' });
  });
});
