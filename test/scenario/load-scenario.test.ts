import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PgsweepError } from '../../src/base/errors.ts';
import { loadScenario, parseScenario } from '../../src/scenario/load-scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-scenario-'));
const file = join(folder, 'mine.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

/** The messages without the folder, which differs from machine to machine. */
function mistakes(text: string): string[] {
  try {
    parseScenario(text, file);
  } catch (error) {
    if (!(error instanceof PgsweepError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.message.split('\n').map((line) => line.replace(/^.*mine\.yaml:/, ''));
  }
  return [];
}

const rest = 'control: A\nvariants: { A: {}, B: {} }\nload: { connections: 1, workload: get-schools }\n';

describe('a scenario with a grid', () => {
  const scenario = parseScenario(
    `title: two factors
target: { service: documents, env: { LOG: 1 } }
sweep:
  pool: { env: POOL_MAX, levels: [10, 25] }
  lock: { env: LOCK_REFERENCES, levels: [none, share] }
control: { lock: none, pool: 10 }
load: { connections: [1, 25], workload: upsert-schools, slice: 500ms }
`,
    file,
  );

  it('makes every combination a variant, named by its factors', () => {
    expect(scenario.variants.map(({ name }) => name)).toEqual([
      'pool=10, lock=none',
      'pool=10, lock=share',
      'pool=25, lock=none',
      'pool=25, lock=share',
    ]);
    expect(scenario.variants[3]?.env).toEqual({ POOL_MAX: '25', LOCK_REFERENCES: 'share' });
  });

  it('finds the control whatever the order of its factors', () => {
    expect(scenario.control).toBe('pool=10, lock=none');
  });

  it('fills in the defaults', () => {
    expect(scenario.load).toMatchObject({
      sliceMs: 500,
      dropMs: 125,
      warmupMs: 5000,
      maxFailedPercent: 1,
      transactionsPerRequest: 1,
      slicesPerRound: 1,
      timeoutMs: 10_000,
    });
    expect(scenario.rounds).toEqual({ min: 4, max: 40, budgetMs: 600_000 });
    expect(scenario.marginPercent).toBe(5);
    expect(scenario.dataset).toEqual({ kind: 'template', template: 'partial-grand-bend', documents: 2000, seed: 1 });
  });
});

describe('a scenario for a service of the user', () => {
  it('takes paths and commands from the folder of the file', () => {
    writeFileSync(join(folder, 'schema.sql'), 'SELECT 1');
    const scenario = parseScenario(
      `title: mine
target: { command: node server.js, ready: /up }
dataset: { sql: schema.sql }
variants: { Control: , Next: { command: node next.js, cwd: ., env: { A: true } } }
control: Control
load: { connections: 5, requests: [{ path: /a }, { method: POST, path: '/b/\${unique}', body: { id: '\${unique}' }, weight: 2.5 }] }
`,
      file,
    );
    expect(scenario.target).toMatchObject({ kind: 'command', cwd: folder, ready: '/up', portVariable: 'PORT' });
    expect(scenario.dataset).toEqual({ kind: 'sql', files: [join(folder, 'schema.sql')] });
    expect(scenario.variants[1]).toMatchObject({ command: 'node next.js', cwd: folder, env: { A: 'true' } });
    expect(scenario.load.workload).toMatchObject({
      requests: [
        { name: 'GET /a', weight: 1 },
        { name: 'POST /b/${unique}', weight: 2.5 },
      ],
    });
  });

  it('takes several running services', () => {
    const scenario = parseScenario(
      `title: releases
target: { url: 'http://127.0.0.1:1' }
variants: { Old: {}, New: { url: 'http://127.0.0.1:2' } }
control: Old
load: { connections: 5, requests: [{ path: / }] }
`,
      file,
    );
    expect(scenario.dataset).toEqual({ kind: 'none' });
    expect(scenario.variants[1]?.url).toBe('http://127.0.0.1:2');
  });
});

describe("a service's own metrics", () => {
  const target = (metrics: string): string => `title: x\ntarget: { service: documents${metrics} }\n${rest}`;

  it('are named with where they are, by default at /metrics', () => {
    expect(parseScenario(target(''), file).target).not.toHaveProperty('metrics');
    expect(parseScenario(target(', metrics: { include: [go_goroutines, \'a{b="c"}\'] }'), file).target).toMatchObject({
      metrics: { path: '/metrics', include: ['go_goroutines', 'a{b="c"}'] },
    });
    expect(parseScenario(target(', metrics: { path: /stats }'), file).target).toMatchObject({
      metrics: { path: '/stats', include: [] },
    });
  });

  it('that cannot be a name are refused', () => {
    expect(mistakes(target(', metrics: { include: [go-goroutines] }'))).toEqual([
      expect.stringMatching(/^2:\d+: target.metrics.include.*: expected the name of a metric such as go_goroutines/),
    ]);
  });
});

describe('a bad scenario is answered with place, expectation and the nearest key', () => {
  it.each([
    [
      'an unknown key',
      `title: x\ntarget: { servce: documents }\n${rest}`,
      /^2:11: unknown key "servce" in target: .*did you mean "service"/,
    ],
    [
      'a deep unknown key',
      `title: x\ntarget: { service: documents }\n${rest}rounds:\n  budgt: 5m\n`,
      /^7:3: unknown key "budgt" in rounds: .*"budget"/,
    ],
    [
      'a missing key',
      'title: x\ntarget: { service: documents }\nvariants: { A: {} }\ncontrol: A\n',
      /^1:1: load is missing/,
    ],
    ['a wrong type', `title: 5\ntarget: { service: documents }\n${rest}`, /^1:8: title: expected string/],
    [
      'a bad duration',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, slice: 5x')}`,
      /^5:32: load.slice: expected a duration/,
    ],
    [
      'an unknown workload',
      `title: x\ntarget: { service: documents }\n${rest.replace('get-schools', 'get-school')}`,
      /did you mean get-schools/,
    ],
    [
      'too many connections',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 0')}`,
      /^5:22: load.connections: /,
    ],
    ['no target', `title: x\ntarget: {}\n${rest}`, /^2:9: target: expected one of service, command, url/],
    [
      'two targets',
      `title: x\ntarget: { service: documents, url: 'http://a' }\n${rest}`,
      /^2:31: target: .*not both service and url/,
    ],
    [
      'a control that is no variant',
      `title: x\ntarget: { service: documents }\n${rest.replace('control: A', 'control: AA')}`,
      /^3:10: control "AA" is not a variant.*did you mean "A"/,
    ],
    [
      'a control level that is none',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 2] } }\ncontrol: { pool: 3 }\nload: { connections: 1, workload: get-schools }\n',
      /^4:18: control is not a variant: pool has no level 3: expected one of 1, 2/,
    ],
    [
      'a control factor that is none',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 2] } }\ncontrol: { pol: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^4:12: control: no factor "pol".*did you mean "pool"/,
    ],
    [
      'grid and names',
      `title: x\ntarget: { service: documents }\n${rest}sweep: { pool: { env: P, levels: [1] } }\n`,
      /^6:1: expected either sweep .* or variants/,
    ],
    [
      'a level twice',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 1] } }\ncontrol: { pool: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:38: level 1 stands twice/,
    ],
    [
      'an override that cannot be',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { cwd: . }')}`,
      /^4:25: variants.B.cwd cannot vary with a service target/,
    ],
    [
      'a folder that is not there',
      `title: x\ntarget: { service: documents }\ndataset: { edfi: nope }\n${rest}`,
      /^3:18: dataset.edfi: there is no folder .*nope/,
    ],
    [
      'a placeholder',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', "requests: [{ path: '/${uniqe}' }]")}`,
      /^5:44: unknown placeholder .*did you mean \$\{unique\}/,
    ],
    [
      'a body on GET',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', 'requests: [{ path: /, body: {} }]')}`,
      /a GET request has no body/,
    ],
    [
      'min above max',
      `title: x\ntarget: { service: documents }\n${rest}rounds: { min: 9, max: 5 }\n`,
      /^6:16: rounds.min 9 is more than rounds.max 5/,
    ],
    ['no YAML', 'title: [', /^1:9: /],
    ['a key twice', `title: x\ntitle: y\n`, /^2:1: /],
    ['an empty file', '', /^1:1: title is missing/],
  ])('%s', (_, text, expected) => {
    const found = mistakes(text);
    expect(
      found.some((line) => expected.test(line)),
      found.join('\n'),
    ).toBe(true);
  });

  it('reports all mistakes at once', () => {
    expect(mistakes(`titel: x\ntarget: { service: documents }\n${rest}margin: much\n`)).toHaveLength(3);
  });
});

describe('the scenarios that come with pgsweep', () => {
  it('are valid', () => {
    expect(loadScenario('scenarios/pool-size.yaml')).toMatchObject({ name: 'pool-size', control: 'pool=10' });
  });

  it('a file that is not there is a clear error', () => {
    expect(() => loadScenario('nope.yaml')).toThrow('nope.yaml cannot be read');
  });
});
