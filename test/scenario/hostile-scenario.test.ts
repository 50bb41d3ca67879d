import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadScenario, parseScenario } from '../../src/scenario/load-scenario.ts';
import { mistakes, rest } from './scenario-text.ts';

const head = 'title: x\ntarget: { service: documents }\n';
const bomb = [
  'x-a0: &a0 lol',
  ...Array.from({ length: 20 }, (_, i) => `x-a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`),
].join('\n');
const chain = Array.from({ length: 300 }, (_, i) => `x-a${i}: &a${i} [${i === 0 ? 1 : `*a${i - 1}`}]`).join('\n');
const grid = Array.from({ length: 8 }, (_, i) => `  f${i}: { env: F${i}, levels: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }`);

describe('what a scenario may not ask for is an error with its place', () => {
  it.each([
    ['an alias of nothing', `${head}${rest}margin: *five\n`, /^6:9: unknown alias \*five: no value before it has an/],
    ['an alias of another name', `${head}x-m: &fife 5%\nmargin: *five\n`, /^4:9: unknown alias .* one of \*fife$/],
    [
      'an alias in a circle',
      `${head}x-a: &a { b: [*a] }\n`,
      /^3:15: the alias \*a stands inside of what it stands for/,
    ],
    ['aliases that multiply', `${bomb}\n`, /^\d+:\d+: the alias \*a\d+ makes the scenario too large/],
    ['aliases that nest', `${chain}\n`, /^65:\d+: the alias \*a63 is nested too deeply/],
    ['more aliases than anybody needs', `a: &a 1\nb: [${'*a,'.repeat(1001)}]\n`, /^2:\d+: too many aliases/],
    [
      'a merge of what has no keys',
      `${head}x-a: &a 5\nload: { <<: *a }\n`,
      /^4:9: expected << to be followed by an alias/,
    ],
    ['lists in lists', `title: ${'['.repeat(100_000)}`, /^1:\d+: nested too deeply: expected at most 64 levels$/],
    ['70 lists in lists', `${head}${rest}x-a: ${'['.repeat(70)}${']'.repeat(70)}\n`, /^6:\d+: nested too deeply/],
    ['lists in lists in blocks', `${'- '.repeat(100_000)}a`, /^1:\d+: nested too deeply/],
    ['a tag', `${head}${rest}margin: !percent 5\n`, /^6:9: Unresolved tag: !percent/],
    [
      '__proto__ as a variant',
      `${head}variants: { A: {}, __proto__: {} }\n`,
      /^3:20: the key "__proto__" cannot be used/,
    ],
    ['__proto__ deep in a body', `x-a: [{ b: { "__proto__": 1 } }]\n`, /^1:14: the key "__proto__" cannot be used/],
    ['constructor as a key', `${head}${rest}constructor: 1\n`, /^6:1: unknown key "constructor": expected title/],
    [
      'constructor as a factor',
      `${head}sweep: { pool: { env: P, levels: [1] } }\ncontrol: { constructor: 1 }\nload: { connections: 1, workload: get-schools }\n`,
      /^4:12: control: no factor "constructor"/,
    ],
    [
      'a factor that the control lacks',
      `${head}sweep: { constructor: { env: P, levels: [1] } }\ncontrol: {}\nload: { connections: 1, workload: get-schools }\n`,
      /^4:10: control: no level for constructor/,
    ],
    ['a key that is a list', `${head}variants: { ? [a, b] : {} }\n`, /^3:15: expected a text as a key/],
    ['no key', `${head}variants: { ~: {} }\n`, /^3:13: expected a text as a key/],
    ['keys that become the same text', `${head}variants: { 1: {}, "1": {} }\n`, /^3:20: the key "1" stands twice/],
    [
      'a number that no journal can hold',
      `${head}${rest}cost: { A: 1e19, B: 1 }
`,
      /^6:12: cost\.A: expected 0, or a number from 1e-100 to 1e18$/,
    ],
    [
      'two factors of one variable',
      `${head}sweep: { a: { env: P, levels: [1, 2] }, b: { env: P, levels: [3, 4] } }\ncontrol: { a: 1, b: 3 }\nload: { connections: 1, workload: get-schools }\n`,
      /^3:41: sweep\.b: sweep\.a sets P already: expected one factor for it$/,
    ],
    [
      'two factors of one part',
      `${head}sweep: { a: { poolerSize: [1, 2] }, b: { poolerSize: [3, 4] } }\ncontrol: { a: 1, b: 3 }\nload: { connections: 1, workload: get-schools }\n`,
      /^3:37: sweep\.b: sweep\.a sets poolerSize already: expected one factor for it$/,
    ],
    [
      'a grid of 10^8',
      `${head}sweep:\n${grid.join('\n')}\n${rest.replace(/variants.*\n/, '')}`,
      /^\d+:\d+: sweep makes 100,000,000 variants: expected at most 200/,
    ],
    [
      'a long duration',
      `${head}${rest.replace('connections: 1', 'connections: 1, slice: 999999h')}`,
      /^5:\d+: load\.slice: expected at most 24h/,
    ],
    [
      'a long turn',
      `${head}${rest.replace('connections: 1', 'connections: 1, turn: 2h')}`,
      /^5:\d+: load\.turn: expected at most 1h/,
    ],
    ['a long run', `${head}${rest}rounds: { budget: 999999h }\n`, /^6:\d+: rounds\.budget: expected at most 480h/],
    ['a share of more than all', `${head}${rest}margin: 999%\n`, /^6:9: margin: expected a percentage/],
    [
      'too many load levels',
      `${head}${rest.replace('connections: 1', `connections: [${Array.from({ length: 101 }, (_, i) => i + 1)}]`)}`,
      /^5:\d+: load\.connections: expected a whole number from 1 to 10000, or a list of at most 100/,
    ],
    [
      'too many requests',
      `${head}${rest.replace('workload: get-schools', `requests: [${'{ path: / },'.repeat(1001)}]`)}`,
      /^5:\d+: load\.requests: .*1000/,
    ],
    [
      'too many variants',
      `${head}variants: { ${Array.from({ length: 201 }, (_, i) => `v${i}: {}`)} }\n${rest.replace(/variants.*\n/, '')}`,
      /^3:\d+: 201 variants: expected at most 200/,
    ],
  ])('%s', (_, text, expected) => {
    const before = process.cpuUsage();
    const found = mistakes(text);
    expect(
      found.some((line) => expected.test(line)),
      found.join('\n'),
    ).toBe(true);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(10e6);
  });

  it.each([
    ['a newline', '"a\\nb:1:1: forged"'],
    ['an escape', '"\\e[2J\\u202e\\x07"'],
    ['a megabyte', 'y'.repeat(500_000)],
  ])('on one line, though a key has %s', (_, key) => {
    for (const text of [
      `${head}${rest}${key}: 1\n`,
      `${head}${rest}x: { ${key}: 1 }\n`,
      `${head}variants: { A: { ? ${key} : 1 } }\n${rest.replace(/variants.*\n/, '')}`,
      `${head}${rest.replace('control: A', `control: ${key}`)}`,
      `${head}${rest.replace('get-schools', key)}`,
      `${head}${rest}margin: !<${key.replaceAll('"', '')}> 5\n`,
    ]) {
      const found = mistakes(text);
      expect(found.length).toBeGreaterThan(0);
      for (const line of found) {
        expect(line).toMatch(/^\d+:\d+: /);
        expect(line.length).toBeLessThan(1100);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }
  });

  it('and a few dozen lines, though everything in it is wrong', () => {
    const found = mistakes(Array.from({ length: 5000 }, (_, i) => `k${i}: 1`).join('\n'));
    expect(found).toHaveLength(51);
    expect(found.at(-1)).toMatch(/^and \d+ more$/);
  });
});

it('keys that begin with x- are for anchors, and merge', () => {
  const { variants, stack } = parseScenario(
    `x-common: &common { LOG: warn, LOCK_REFERENCES: none }
x-pg: &pg { version: 17.10 }
${head}
variants:
  A: { env: { <<: *common, LOG: error } }
  B: { env: *common }
control: A
load: { connections: 1, workload: get-schools }
stack: { postgres: *pg }
`,
    'mine.yaml',
  );
  expect(variants.map(({ env }) => env)).toEqual([
    { LOG: 'error', LOCK_REFERENCES: 'none' },
    { LOG: 'warn', LOCK_REFERENCES: 'none' },
  ]);
  expect(stack.postgres.version).toBe('17.10');
});

describe('a file that is no scenario', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-scenario-'));
  it.each([
    [
      'a large one',
      () => writeFileSync(join(folder, 'a.yaml'), `# ${'x'.repeat(1024 * 1024)}\n`),
      join(folder, 'a.yaml'),
    ],
    ['one that never ends', () => {}, '/dev/zero'],
  ])('%s', (_, make, file) => {
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    make();
    expect(() => loadScenario(file)).toThrow(/is too large for a scenario: expected at most 1 MB/);
  });

  it('a folder', () => {
    expect(() => loadScenario(tmpdir())).toThrow(/cannot be read/);
  });
});
