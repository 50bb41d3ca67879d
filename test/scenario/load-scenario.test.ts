import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PgsweepError } from '../../src/base/errors.ts';
import { loadKey, loadLabel } from '../../src/journal/load-level.ts';
import { loadScenario, parseScenario } from '../../src/scenario/load-scenario.ts';
import { settingsOfService } from '../../src/scenario/resolve-treatment.ts';

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

it('says which servers there are, what they may use, and when they are started', () => {
  const { stack, rounds, variants } = parseScenario(
    `title: servers
target: { service: documents }
variants: { A: {}, B: { postgres: { version: 15, stack: embedded } } }
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
    { version: '15', stack: 'embedded' },
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
      dropMs: 125,
      warmupMs: 5000,
      maxFailedPercent: 1,
      transactionsPerRequest: 1,
      slicesPerRound: 1,
      timeoutMs: 10_000,
    });
    expect(scenario.rounds).toEqual({ min: 4, max: 40, budgetMs: 600_000 });
    expect(scenario.marginPercent).toBe(5);
    expect(scenario.stack).toEqual({ postgres: { settings: {} }, opensearch: false });
    expect(scenario.dataset).toEqual({ kind: 'template', template: 'partial-grand-bend', documents: 2000, seed: 1 });
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
      { connections: 25, bulk: true },
      { connections: 1, workload: 'get-documents' },
      { connections: 5, workload: 'get-documents' },
      { connections: 1, workload: 'list-by-reference' },
      { connections: 5, workload: 'list-by-reference' },
    ]);
    expect(load.levels.map(loadLabel)).toContain('bulk load, 25 connections');
    expect(new Set(load.levels.map(loadKey)).size).toBe(5);
  });

  it('needs no reads', () => {
    expect(bulkScenario('{ bulk: { edfi: . } }').load.levels).toEqual([{ connections: 25, bulk: true }]);
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

  it('names as unchangeable exactly what the service sets for its own connections', () => {
    const source = readFileSync('src/service/pool.ts', 'utf8');
    const set = [...source.matchAll(/-c (\w+)=/g)].map((match) => match[1]);
    expect(settingsOfService).toEqual(set);
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
    [
      'neither on nor off',
      `title: x\ntarget: { service: documents }\n${rest}stack: { opensearch: docker }\n`,
      /^6:22: stack\.opensearch: expected on, off, or \{ version/,
    ],
    [
      'a CPU set that is none',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { cpuset: all } }\n`,
      /^6:30: stack\.postgres\.cpuset: expected CPUs such as "0,2" or "0-3"/,
    ],
    [
      'a version that is none',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { version: newest } }\n`,
      /^6:31: stack\.postgres\.version: expected a version such as 17 or 17\.2/,
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
      'a template',
      `title: x\ntarget: { service: documents }\ndataset: { template: grandbend }\n${rest}`,
      /^3:22: .*grand-bend/,
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
    [
      'a bulk load without data',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, workload: get-schools', 'bulk: { connections: 5 }')}`,
      /^5:15: load.bulk: expected one of template, edfi/,
    ],
    [
      'a bulk load beside a workload',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1,', 'bulk: { template: grand-bend },')}`,
      /^5:41: load.workload does not go with load.bulk: expected reads/,
    ],
    [
      'reads without a bulk load',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', 'reads: [get-documents]')}`,
      /^5:25: load.reads follow a load.bulk/,
    ],
    [
      'neither connections nor a bulk load',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, ', '')}`,
      /^5:7: load.connections is missing/,
    ],
    [
      'a bulk load of a service that somebody else started',
      "title: x\ntarget: { url: 'http://127.0.0.1:1' }\nvariants: { A: { url: 'http://127.0.0.1:2' } }\ncontrol: A\nload: { bulk: { template: grand-bend } }\n",
      /^5:9: load.bulk: a url target keeps what was loaded/,
    ],
    [
      'an unknown setting',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { sinchronous_commit: off } }')}`,
      /^4:37: unknown setting "sinchronous_commit".*did you mean "synchronous_commit"/,
    ],
    [
      'a setting that cannot vary',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { port: 1 } }')}`,
      /^4:37: the setting port cannot vary/,
    ],
    [
      'a setting that the document service sets itself',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { JIT: on } }')}`,
      /^4:37: the setting JIT cannot vary with the document service/,
    ],
    [
      'an unknown setting of a factor',
      'title: x\ntarget: { service: documents }\nsweep: { m: { setting: wrok_mem, levels: [1, 2] } }\ncontrol: { m: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:24: unknown setting "wrok_mem".*did you mean "work_mem"/,
    ],
    [
      'a factor that sets two things',
      'title: x\ntarget: { service: documents }\nsweep: { m: { env: A, setting: work_mem, levels: [1, 2] } }\ncontrol: { m: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:23: sweep.m: expected one of env, setting, not both env and setting/,
    ],
    [
      'a factor that sets nothing',
      'title: x\ntarget: { service: documents }\nsweep: { m: { levels: [1, 2] } }\ncontrol: { m: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:13: sweep.m: expected one of env, setting/,
    ],
    [
      'an index dropped and hidden',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { dropIndex: [ix_a, ix_b], hideIndex: ix_b }')}`,
      /^4:50: variants.B: ix_b cannot be both dropped and hidden/,
    ],
    [
      'a statement that is no CREATE INDEX',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { createIndex: [DROP TABLE a] }')}`,
      /^4:39: variants.B.createIndex: expected a statement such as CREATE INDEX/,
    ],
    [
      'a treatment misspelt',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { dropIndx: a }')}`,
      /^4:25: unknown key "dropIndx" in variants.B: .*did you mean "dropIndex"/,
    ],
    [
      'a treatment of the wrong type',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { sql: { aply: a } }')}`,
      /^4:30: variants.B.sql: expected SQL, \{ apply, undo \}, or a list/,
    ],
    [
      "a treatment of a database that is not the bench's",
      `title: x\ntarget: { url: 'http://127.0.0.1:1' }\n${rest.replace('B: {}', 'B: { dropIndex: a }').replace('workload: get-schools', 'requests: [{ path: / }]')}`,
      /^4:25: variants.B.dropIndex cannot vary with a url target, whose database is not the bench's: expected url/,
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
