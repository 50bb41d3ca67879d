import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../scenarios/services/documents/service/config.ts';
import { loadKey, loadLabel } from '../../src/journal/load-level.ts';
import { poolSizeIn } from '../../src/journal/pool-size.ts';
import { loadScenario, parseScenario } from '../../src/scenario/load-scenario.ts';
import { mistakes, rest } from './scenario-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-scenario-'));
const file = join(folder, 'mine.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

it('says which servers there are, what they may use, and when they are started', () => {
  const { stack, rounds, variants } = parseScenario(
    `title: servers
target: { service: documents }
variants: { A: {}, B: { postgres: { version: 15.10, stack: embedded } } }
control: A
load: { connections: 1, workload: get-schools }
rounds: { restart: server }
stack:
  postgres: { version: 17, cpus: 1.5, cpuset: "0-1", memory: 2g }
  opensearch: { version: 2.19.6, heap: 1g, memory: 2g }
`,
    file,
  );
  expect(stack).toEqual({
    postgres: { settings: {}, version: '17', cpus: 1.5, cpuset: '0-1', memory: '2g' },
    opensearch: { version: '2.19.6', heapMb: 1024, memory: '2g' },
  });
  expect(rounds.restart).toBe('server');
  expect(variants.map(({ treatment }) => treatment?.postgres)).toEqual([
    undefined,
    { version: '15.10', stack: 'embedded' },
  ]);
});

it('takes numbers and true for names, as keys and as values', () => {
  const of = (control: string): string =>
    parseScenario(
      `target: { service: documents }
variants: { 10: {}, 2.5: {}, true: {} }
control: ${control}
load: { connections: 1, requests: [{ path: /, name: 404 }] }
`,
      file,
    ).control;
  expect([of('10'), of('2.5'), of('true'), of('"10"')]).toEqual(['10', '2.5', 'true', '10']);
  const control = (text: string) => mistakes(`target: { service: documents }\n${rest.replace('control: A', text)}`);
  expect(control('control: 10')).toEqual([
    '2:10: control "10" is not a variant: expected one of A, B (did you mean "A"?)',
  ]);
  expect(control('control: [A]')).toEqual([
    '2:10: control: expected the name of a variant, or a level for each factor, such as { pool: 10 }',
  ]);
});

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
      dropMs: 100,
      turn: 'auto',
      warmupMs: 5000,
      maxFailedPercent: 1,
      transactionsPerRequest: 1,
      timeoutMs: 10_000,
    });
    expect(scenario.rounds).toEqual({ min: 4, max: 40, budgetMs: 600_000 });
    expect(scenario.marginPercent).toBe(5);
    expect(scenario.stack).toEqual({ postgres: { settings: {} }, opensearch: false });
    expect(scenario.dataset).toEqual({ kind: 'template', template: 'partial-grand-bend', documents: 2000, seed: 1 });
  });
});

it('has a margin of 1 % where it judges by work per request and says none', () => {
  const marginOf = (text: string) =>
    parseScenario(`target: { service: documents }\n${rest}\n${text}`, file).marginPercent;
  expect(marginOf('judge: wal_bytes')).toBe(1);
  expect(marginOf('judge: p99_ms')).toBe(5);
  expect(marginOf('judge: postgres_cpu\nmargin: 3%')).toBe(3);
});

it('has the name of its file for a title where it has none', () => {
  expect(parseScenario(`target: { service: documents }\n${rest}`, file)).toMatchObject({ title: 'mine', name: 'mine' });
});

it('says where ${unique} starts, or leaves it where it is', () => {
  const loadOf = (text: string) => parseScenario(`target: { service: documents }\n${text}`, file).load;
  expect(loadOf(rest.replace('connections: 1', 'connections: 1, uniqueFrom: 5'))).toMatchObject({ uniqueFrom: 5 });
  expect(loadOf(rest)).not.toHaveProperty('uniqueFrom');
});

describe('kinds of load', () => {
  const loadOf = (load: string) =>
    parseScenario(`title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', load)}`, file).load;

  it('are rates, at which as many may be under way as are due in two seconds', () => {
    const load = loadOf('rate: [200, 400.5]');
    expect(load).toMatchObject({
      levels: [{ rate: 200 }, { rate: 400.5 }],
      openLoop: { arrivals: 'poisson', inFlight: 801 },
      dropMs: 1000,
    });
    expect(load).not.toHaveProperty('warmupRequests');
    expect(loadOf('rate: 5').openLoop).toEqual({ arrivals: 'poisson', inFlight: 100 });
    expect(loadOf('rate: 5, arrivals: constant, inFlight: 7, drop: 50ms')).toMatchObject({
      openLoop: { arrivals: 'constant', inFlight: 7 },
      dropMs: 50,
    });
  });

  it('are so many requests and no more', () => {
    expect(loadOf('connections: [10, 30], count: 900')).toMatchObject({
      levels: [{ connections: 10 }, { connections: 30 }],
      bounded: { count: 900, limitMs: 120_000 },
    });
    expect(loadOf('connections: 10, count: 900, limit: 30s').bounded).toEqual({ count: 900, limitMs: 30_000 });
  });
});

describe('turns', () => {
  const loadOf = (load: string) =>
    parseScenario(
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', `connections: 1, ${load}`)}`,
      join(folder, 'x.yaml'),
    ).load;

  it.each([
    ['slice: 4s, turn: auto', { sliceMs: 4000, turn: 'auto' }],
    ['slice: 4s, turn: off', { sliceMs: 4000, turn: 'off' }],
    ['slice: 4s, turn: 500ms, drop: 20ms', { sliceMs: 4000, turn: 500, dropMs: 20 }],
    ['slice: 4s, turn: 2s', { turn: 2000 }],
  ])('are %s', (load, expected) => {
    expect(loadOf(load)).toMatchObject(expected);
  });
});

describe('a template', () => {
  const datasetOf = (dataset: string) =>
    parseScenario(`title: x\ntarget: { service: documents }\ndataset: ${dataset}\n${rest}`, join(folder, 'x.yaml'))
      .dataset;

  it.each([
    ['partial-grand-bend', 2000],
    ['grand-bend', 20_000],
    ['southridge', 100_000],
  ])('%s has a size of its own', (template, documents) => {
    expect(datasetOf(`{ template: ${template} }`)).toEqual({ kind: 'template', template, documents, seed: 1 });
    expect(datasetOf(`{ template: ${template}, documents: 500, seed: 7 }`)).toMatchObject({ documents: 500, seed: 7 });
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
    const sqlOf = (dataset: string) =>
      parseScenario(
        `target: { command: x }\ndataset: ${dataset}\nvariants: { A: , B: { env: { C: 1 } } }\ncontrol: A\nload: { connections: 1, requests: [{ path: / }] }\n`,
        file,
      ).dataset;
    expect(sqlOf('{ sql: schema.sql, singleTransaction: true }')).toMatchObject({ singleTransaction: true });
    expect(sqlOf('{ sql: schema.sql, singleTransaction: false }')).not.toHaveProperty('singleTransaction');
    expect(() => sqlOf('{ command: migrate, singleTransaction: true }')).toThrow(/belongs to a dataset with sql/);
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

describe('a bulk load', () => {
  const bulkScenario = (load: string) =>
    parseScenario(
      `title: x\ntarget: { service: documents }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: ${load}\n`,
      file,
    );

  it('starts from empty tables, and is the first of its load levels', () => {
    const { dataset, load } = bulkScenario(
      '{ bulk: { template: partial-grand-bend, documents: 500, backoff: 20ms }, reads: [get-documents, list-by-reference], connections: [1, 5] }',
    );
    expect(dataset).toEqual({ kind: 'schema' });
    expect(load.bulk).toEqual({
      dataset: { kind: 'template', template: 'partial-grand-bend', documents: 500, seed: 1 },
      connections: 25,
      inFlight: 25,
      retries: 3,
      backoffMs: 20,
      update: false,
    });
    expect(load.levels).toEqual([
      { connections: 25, of: 'bulk' },
      { connections: 1, workload: 'get-documents' },
      { connections: 5, workload: 'get-documents' },
      { connections: 1, workload: 'list-by-reference' },
      { connections: 5, workload: 'list-by-reference' },
    ]);
    expect(load.levels.map(loadLabel)).toContain('bulk load, 25 connections');
    expect(new Set(load.levels.map(loadKey)).size).toBe(5);
  });

  it('needs no reads', () => {
    expect(bulkScenario('{ bulk: { edfi: . } }').load.levels).toEqual([{ connections: 25, of: 'bulk' }]);
  });
});

describe('a scenario that changes the database', () => {
  it('takes indexes, settings and SQL, one or a list', () => {
    const { variants } = parseScenario(
      `title: indexes
target: { service: documents }
variants:
  Control: { settings: {} }
  A: { dropIndex: ix_a, hideIndex: [ix_b, ix_c], env: { POOL_MAX: 5 } }
  B:
    createIndex: CREATE INDEX ix ON documents (created_at)
    settings: { synchronous_commit: off, random_page_cost: 1.1 }
    sql: [ANALYZE, { apply: CREATE ROLE a, undo: DROP ROLE a }]
control: Control
load: { connections: 1, workload: get-schools }
`,
      file,
    );
    const nothing = { settings: {}, dropIndex: [], createIndex: [], hideIndex: [], sql: [] };
    expect(variants.map(({ treatment }) => treatment)).toEqual([
      undefined,
      { ...nothing, dropIndex: ['ix_a'], hideIndex: ['ix_b', 'ix_c'] },
      {
        ...nothing,
        createIndex: ['CREATE INDEX ix ON documents (created_at)'],
        settings: { synchronous_commit: 'off', random_page_cost: '1.1' },
        sql: [{ apply: 'ANALYZE' }, { apply: 'CREATE ROLE a', undo: 'DROP ROLE a' }],
      },
    ]);
  });

  it('takes a setting for a factor, beside variables', () => {
    const { variants, control } = parseScenario(
      `title: grid
target: { service: documents }
sweep: { pool: { env: POOL_MAX, levels: [10, 20] }, memory: { setting: work_mem, levels: [4MB, 8MB] } }
control: { pool: 10, memory: 4MB }
load: { connections: 1, workload: get-schools }
`,
      file,
    );
    expect(control).toBe('pool=10, memory=4MB');
    expect(variants[3]).toMatchObject({ env: { POOL_MAX: '20' }, treatment: { settings: { work_mem: '8MB' } } });
    expect(variants[3]?.env).toEqual({ POOL_MAX: '20' });
  });
});

describe('stack.opensearch', () => {
  it.each([
    ['on', true],
    ['true', true],
    ['off', false],
    ['false', false],
  ])('%s is read as %s', (text, expected) => {
    const scenario = parseScenario(
      `title: x\ntarget: { service: documents }\n${rest}stack: { opensearch: ${text} }\n`,
      'x.yaml',
    );
    expect(scenario.stack.opensearch).toBe(expected);
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

describe("the size of the service's pool", () => {
  const sizes = (
    target: string,
    variants = 'variants: { A: {}, B: { env: { DB_MAX: 9 } } }\ncontrol: A',
  ): unknown[] => {
    const text = `title: x\ntarget: { ${target} }\n${variants}\nload: { connections: 1, requests: [{ path: / }] }\n`;
    const scenario = parseScenario(text, file);
    return scenario.variants.map((variant) => poolSizeIn(scenario, variant));
  };

  it('is that of the variable that the scenario names, or of the factor pool', () => {
    expect(sizes('command: x, pool: DB_MAX')).toEqual([null, 9]);
    expect(sizes('command: x, pool: DB_MAX, env: { DB_MAX: 5 }')).toEqual([5, 9]);
    const grid = 'sweep: { pool: { env: DB_MAX, levels: [3, 4] } }\ncontrol: { pool: 3 }';
    expect(sizes('command: x', grid)).toEqual([3, 4]);
    expect(sizes('command: x', grid.replaceAll('pool', 'size'))).toEqual([null, null]);
  });

  it("is not known by a variable's name", () => {
    expect(sizes('command: x, env: { POOL_MAX: 5 }')).toEqual([null, null]);
  });

  it('of the document service is known', () => {
    const { poolMax } = loadConfig({ DATABASE_URL: 'postgres://u@h/d' });
    expect(sizes('service: documents', 'variants: { A: {}, B: { env: { POOL_MAX: 7 } } }\ncontrol: A')).toEqual([
      poolMax,
      7,
    ]);
  });

  it('of a service that already runs is not', () => {
    expect(mistakes(`title: x\ntarget: { url: 'http://127.0.0.1:1', pool: DB_MAX }\n${rest}`)[0]).toContain(
      'target.pool belongs to a target with command or services',
    );
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
