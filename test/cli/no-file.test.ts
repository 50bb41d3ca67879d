import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { readJournal } from '../../src/journal/journal.ts';
import { loadScenario, parseScenario } from '../../src/scenario/load-scenario.ts';
import { exitCodeOf, startCli } from './cli.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-no-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

const items = 'docs/examples/items';
const command = ['--command', `node ${items}/server.mjs`];
const print = (...options: string[]) => run('sweep', '--print', ...command, ...options);

describe('sweep --print without a scenario file', () => {
  it('takes a rate, or so many requests, in place of connections', async () => {
    const loadOf = async (...options: string[]) =>
      parseScenario((await print('--env', 'A=1,2', '--get', '/', ...options)).out, 'mine.yaml').load;
    expect(await loadOf('--rate', '100,200.5')).toMatchObject({ levels: [{ rate: 100 }, { rate: 200.5 }] });
    expect(await loadOf('--connections', '5', '--count', '900')).toMatchObject({
      levels: [{ connections: 5 }],
      bounded: { count: 900 },
    });
    const { code, err } = await print('--env', 'A=1,2', '--get', '/', '--rate', '5', '--connections', '5');
    expect(code).toBe(2);
    expect(err).toContain('--rate: expected one of connections, rate, users, not both');
  });

  it('prints the scenario that the options say', async () => {
    const { code, out, err } = await print(
      ...['--env', 'POOL_MAX=10,20,40', '--env', 'MODE=a,b', '--env', 'LOG=error', '--setting', 'work_mem=8MB'],
      ...[
        '--connections',
        '1,5',
        '--get',
        '/items?limit=10',
        '--post',
        '/items',
        '--body',
        '{"id":"${unique}","name":"x"}',
      ],
      ...['--header', 'x-tenant: t', '--sql', `${items}/schema.sql`, '--ready', '/health', '--title', 'A title'],
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { title, target, dataset, variants, control, load, stack } = parseScenario(out, 'mine.yaml');
    expect(title).toBe('A title');
    expect(target).toMatchObject({
      command: 'node docs/examples/items/server.mjs',
      cwd: process.cwd(),
      env: { LOG: 'error' },
      ready: '/health',
      pool: { variable: 'POOL_MAX' },
    });
    expect(dataset).toEqual({ kind: 'sql', files: [resolve(items, 'schema.sql')] });
    expect(variants.map(({ name }) => name)).toEqual([
      'POOL_MAX=10, MODE=a',
      'POOL_MAX=10, MODE=b',
      'POOL_MAX=20, MODE=a',
      'POOL_MAX=20, MODE=b',
      'POOL_MAX=40, MODE=a',
      'POOL_MAX=40, MODE=b',
    ]);
    expect(control).toBe('POOL_MAX=10, MODE=a');
    expect(stack.postgres.settings).toEqual({ work_mem: '8MB' });
    expect(load.levels).toEqual([{ connections: 1 }, { connections: 5 }]);
    expect(load.workload).toMatchObject({
      requests: [
        { name: 'GET /items?limit=10', headers: { 'x-tenant': 't' } },
        { name: 'POST /items', body: { id: '${unique}', name: 'x' }, headers: { 'x-tenant': 't' } },
      ],
    });
  });

  it('starts the service in another folder, and loads a data set of any kind', async () => {
    const dump = join(folder, 'all.dump');
    writeFileSync(dump, 'x');
    const datasetOf = async (dataset: string, ...more: string[]) =>
      parseScenario((await print('--env', 'A=1,2', '--get', '/', '--dataset', dataset, ...more)).out, 'mine.yaml');
    expect((await datasetOf(`${items}/schema.sql`, '--cwd', items)).target).toMatchObject({ cwd: resolve(items) });
    expect((await datasetOf(`${items}/schema.sql`)).dataset).toEqual({
      kind: 'sql',
      files: [resolve(items, 'schema.sql')],
    });
    expect((await datasetOf(dump)).dataset).toMatchObject({ kind: 'dump', dump });
    expect((await datasetOf('npm run migrate', '--cwd', items)).dataset).toMatchObject({
      kind: 'command',
      command: `cd '${items}' && npm run migrate`,
    });
  });

  it('searches ranges, and levels where tune is asked for', async () => {
    const tuned = (...options: string[]) => run('tune', '--print', ...command, '--get', '/items', ...options);
    const { code, out, err } = await tuned(
      ...[
        '--env',
        'POOL_MAX=1..100',
        '--setting',
        'work_mem=4MB,1MB..256MB',
        '--setting',
        'random_page_cost=2,1.0..4.0',
        '--setting',
        'jit=on,off',
      ],
      ...['--env', 'LOG=error'],
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { title, target, tune, variants, slots, load } = parseScenario(out, 'mine.yaml');
    expect(title).toBe('POOL_MAX 1 to 100; work_mem 1MB to 256MB; random_page_cost 1.0 to 4.0; jit on, off');
    expect(target).toMatchObject({ env: { LOG: 'error' }, pool: { variable: 'POOL_MAX' } });
    expect(tune?.factors.map(({ name, values }) => [name, values[0], values.at(-1)])).toEqual([
      ['POOL_MAX', 'default', 100],
      ['work_mem', '1MB', '256MB'],
      ['random_page_cost', '1.0', '4.0'],
      ['jit', 'on', 'off'],
    ]);
    expect(variants.map(({ factors }) => factors)).toEqual([
      { POOL_MAX: 'default', work_mem: '4MB', random_page_cost: 2, jit: 'on' },
    ]);
    expect({ slots, levels: load.levels }).toEqual({ slots: 6, levels: [{ connections: 25 }] });
    // A range asks for a search by itself; a folder is none.
    const plain = await print('--env', 'POOL_MAX=2..8', '--env', 'DIR=../a,../b', '--get', '/');
    expect(parseScenario(plain.out, 'mine.yaml').tune?.factors.map(({ values }) => values)).toEqual([
      ['default', 2, 3, 4, 5, 6, 7, 8],
      ['../a', '../b'],
    ]);
    for (const values of ['1..100,10', '10,1..100,20', '10,20,1..100', '1..9,20..40']) {
      const { code, err } = await tuned('--env', `POOL_MAX=${values}`);
      expect([code, err]).toEqual([
        2,
        `error: --env POOL_MAX=${values}: a range comes last, after at most one control\nFor example: --env POOL_MAX=10,1..100\n`,
      ]);
    }
    const bad = await tuned('--env', 'POOL_MAX=100..1');
    expect(bad.code).toBe(2);
    expect(bad.err).toContain('--env POOL_MAX: expected the smaller end first');
    expect((await tuned('--env', 'POOL_MAX=200,1..100')).err).toContain('--env POOL_MAX: POOL_MAX 200 lies outside');
  });

  it('takes headers of all requests, and of one', async () => {
    const { out } = await print(
      ...['--env', 'A=1,2', '--get', '/items', '--post', '/items', '--body', '{}'],
      ...['--header', 'x-tenant: t', '--header', 'POST /items content-type: text/csv'],
    );
    expect(parseScenario(out, 'mine.yaml').load.workload).toMatchObject({
      requests: [
        { name: 'GET /items', headers: { 'x-tenant': 't' } },
        { name: 'POST /items', headers: { 'x-tenant': 't', 'content-type': 'text/csv' } },
      ],
    });
  });

  it('varies a Postgres setting, under the usual loads', async () => {
    const { out } = await print('--setting', 'synchronous_commit=on,off', '--get', '/items');
    const { title, variants, load } = parseScenario(out, 'mine.yaml');
    expect(title).toBe('synchronous_commit on, off');
    expect(variants.map(({ treatment }) => treatment?.settings)).toEqual([
      { synchronous_commit: 'on' },
      { synchronous_commit: 'off' },
    ]);
    expect(load.levels).toEqual([{ connections: 1 }, { connections: 25 }]);
  });

  it('keeps the name of a variable for a secret, and takes no secret', async () => {
    vi.stubEnv('API_TOKEN', 'a-token-of-somebody');
    const varying = ['--env', 'POOL_MAX=10,20', '--get'];
    const { code, out } = await print(
      ...varying,
      '/items?token=${env API_TOKEN}',
      '--header',
      'authorization: Bearer ${env API_TOKEN}',
    );
    expect(code).toBe(0);
    expect(out).toContain('Bearer ${env API_TOKEN}');
    expect(out).not.toContain('a-token-of-somebody');
    for (const [options, option, instead] of [
      [
        [...varying, '/items', '--header', 'authorization: Bearer another-token'],
        '--header authorization',
        "--header 'authorization: Bearer ${env API_TOKEN}'",
      ],
      [
        [...varying, '/items', '--header', 'x: y', '--header', 'GET /items x-api-key: another-token'],
        '--header x-api-key',
        "--header 'GET /items x-api-key: ${env X_API_KEY}'",
      ],
      [[...varying, '/items?api_key=another-token'], '--get', '/items?api_key=${env API_KEY}'],
      [
        [...varying, '/items', '--env', 'DB_PASSWORD=another-token'],
        '--env DB_PASSWORD',
        "--env 'DB_PASSWORD=${env DB_PASSWORD}'",
      ],
    ] as const) {
      const refused = await print(...options);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(`error: ${option} holds a secret, which other users can read\n`);
      expect(refused.err).toContain(instead);
      expect(refused.out + refused.err).not.toContain('another-token');
    }
  });

  const get = ['--get', '/items'];
  const many = '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15';
  const env = ['--env', 'POOL_MAX=10,20'];
  it.each([
    [[...get], 'nothing varies: expected --env or --setting with two values or more'],
    [['--env', 'POOL_MAX=10', ...get], 'nothing varies: expected'],
    [['--env', 'KEY=${env A},${env B}', ...get], '--env KEY: ${env ...} cannot be a level, which every table shows'],
    [[...env, ...get, '--title', '${env A}'], '--title: ${env ...} cannot be used here'],
    [['--env', 'POOL_MAX', ...get], '--env POOL_MAX: expected NAME=VALUE,VALUE, such as POOL_MAX=10,20,40'],
    [['--env', 'A=1,2', '--env', 'A=3,4', ...get], '--env A stands twice'],
    [['--env', 'A=1,2,1', ...get], '--env A: level 1 stands twice'],
    [[...env], 'nothing to send: expected --get PATH, or --post PATH with --body'],
    [[...env, '--get', 'items'], '--get items: expected a path that begins with /, such as /items'],
    [[...env, ...get, '--post', '/a${uniqe}'], '--post /a${uniqe}: unknown placeholder ${uniqe}: expected token'],
    [[...env, ...get, '--post', '/a', '--body', '{"a":"${x}"}'], '--body of --post /a: unknown placeholder ${x}'],
    [[...env, ...get, '--body', 'x'], '1 --body for 0 --post: expected one for each at most'],
    [[...env, ...get, '--connections', '1,many'], '--connections: expected a whole number from 1 to 10000'],
    [[...env, ...get, '--connections', '5,5'], '--connections: load level 5 stands twice'],
    [[...env, ...get, '--sql', 'nowhere.sql'], '--sql: there is no file '],
    [[...env, ...get, '--header', 'no header'], "--header: expected NAME: VALUE, such as 'accept: text/html'"],
    [[...env, ...get, '--header', 'a: ${env NOT_SET}'], '--header: ${env NOT_SET}: the variable is not set'],
    [[...env, ...get, '--header', 'POST /b a: b'], '--header: there is no request POST /b'],
    [[...env, ...get, '--dataset', 'nowhere.dump'], '--dataset: there is no file nowhere.dump'],
    [[...env, ...get, '--dataset', 'a b', '--sql', 'x'], 'expected one of --sql and --dataset, not both'],
    [[...env, ...get, '--cwd', 'nowhere'], '--cwd: there is no folder '],
    [[...env, ...get, '--ready', 'health'], '--ready: '],
    [['--env', `A=${many}`, '--env', `B=${many}`, ...get], '--env: sweep makes 225 variants: expected at most 200'],
  ])('%j is a mistake of an option', async (options, message) => {
    const { code, out, err } = await print(...options);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`error: ${message}`);
    expect(err).not.toMatch(/\.yaml:\d/);
  });

  it.each([
    [['sweep', 'mine.yaml', ...env], '--env replaces a scenario file, but the command line names mine.yaml too'],
    [['sweep', ...env], '--env replaces a scenario file, and needs --command or --job too'],
    [['sweep', '--print'], '--print replaces a scenario file, and needs --command or --job too'],
    [
      ['sweep', '--resume', folder, ...command],
      "option '--resume <dir>' cannot be used with option '--command <text>'",
    ],
  ])('%j contradicts itself', async (args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('plan without a scenario file', () => {
  it('says what the sweep would do', async () => {
    const options = [...command, '--env', 'POOL_MAX=10,20', '--get', '/items', '--connections', '3'];
    const { code, out } = await run('plan', ...options);
    expect(code).toBe(0);
    expect(out).toMatch(/^POOL_MAX 10, 20\n/);
    expect(out).toContain('POOL_MAX=20');
    expect((await run('plan', ...options, '--print')).out).toBe((await run('sweep', ...options, '--print')).out);
  });
});

describe('sweep --print with a job', () => {
  const job = (...options: string[]) => run('sweep', '--print', '--job', `${items}/data.sql`, ...options);

  it('needs no service, and no requests', async () => {
    const { out, err } = await job('--dataset', `${items}/schema.sql`, '--setting', 'work_mem=4MB,64MB');
    expect(err).toBe('');
    const { target, dataset, load, variants } = parseScenario(out, 'mine.yaml');
    expect(target.kind).toBe('none');
    expect(dataset).toEqual({ kind: 'sql', files: [resolve(items, 'schema.sql')] });
    expect(load.job).toEqual({ source: { kind: 'sql', file: resolve(items, 'data.sql') } });
    expect(variants.map(({ name }) => name)).toEqual(['work_mem=4MB', 'work_mem=64MB']);
  });

  it('compares indexes with none', async () => {
    const { out } = await job(
      '--index',
      'by name: create index on items (name)',
      '--index',
      'b: create index on t (b)',
    );
    const { variants, control } = parseScenario(out, 'mine.yaml');
    expect(control).toBe('no index');
    expect(variants.map(({ name, treatment }) => [name, treatment?.createIndex])).toEqual([
      ['no index', undefined],
      ['by name', ['create index on items (name)']],
      ['b', ['create index on t (b)']],
    ]);
  });

  it('takes a command', async () => {
    const { out } = await run('sweep', '--print', '--job', 'node import.js', '--env', 'BATCH=10,1000', '--cwd', items);
    const { load, variants } = parseScenario(out, 'mine.yaml');
    expect(load.job).toEqual({ source: { kind: 'command', command: 'node import.js', cwd: resolve(items) } });
    expect(variants.map(({ env }) => env)).toEqual([{ BATCH: '10' }, { BATCH: '1000' }]);
  });

  it('runs nothing as SQL but a file that is named so', async () => {
    const [sh, sql] = [join(folder, 'import it.sh'), join(folder, 'REPORT.SQL')];
    for (const file of [sh, sql]) writeFileSync(file, 'SELECT 1');
    const of = (file: string) => run('sweep', '--print', '--job', file, '--env', 'A=1,2');
    expect(parseScenario((await of(sql)).out, 'mine.yaml').load.job?.source).toMatchObject({ kind: 'sql', file: sql });
    for (const [file, start] of [
      [sh, 'sh'],
      [`${items}/server.mjs`, 'node'],
    ] as const) {
      const { code, out, err } = await of(file);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`error: --job: ${file} is no SQL file (.sql or .sql.gz)\n`);
      expect(err).toContain(`--job "${start} `);
    }
  });

  it.each([
    [['--get', '/', '--env', 'A=1,2'], '--get does not go with --job: a scenario file can run a job beside requests'],
    [['--index', 'create index'], '--index create index: expected NAME: CREATE INDEX ...'],
    [['--index', 'a: create index x', '--index', 'a : create index y'], '--index a stands twice'],
    [['--index', 'no index: create index x'], '--index no index: this is the name of the control'],
    [['--index', 'a: b', '--env', 'A=1,2'], '--index goes with --job, and not with several values'],
    [[], 'nothing varies'],
  ])('%j is a mistake', async (options, message) => {
    const { code, err } = await job(...options);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

describe('a sweep without a scenario file', () => {
  it('runs a job on the database alone', async () => {
    const [out, report] = [join(folder, 'job'), join(folder, 'report.sql')];
    writeFileSync(report, '-- two statements\nSELECT count(*) FROM items;\nDO $$ BEGIN PERFORM 1; END $$;\n');
    const { code, err } = await startCli(
      [
        ...['sweep', '--quick', '--out', out, '--job', report, '--sql', 'schema.sql', '--sql', 'data.sql'],
        ...['--index', 'by name: CREATE INDEX ON items (name)'],
      ],
      { cwd: items },
    ).done;
    expect(code, err).toBe(exitCodeOf(out));
    const { records } = readJournal(join(out, 'journal.jsonl'));
    const slices = [...records].flatMap((record) => (record.type === 'slice' ? [record] : []));
    expect(slices).toHaveLength(3);
    for (const { bounded, job, work } of slices) {
      expect(bounded?.durationMs).toBeGreaterThan(0);
      expect(job).toMatchObject({ runs: 1, buffers: 'warm' });
      expect(work?.walBytes).not.toBeNull();
    }
    const text = readFileSync(join(out, 'report.md'), 'utf8');
    expect(text).toContain('time, ms');
    expect(text).toContain('Work per run');
  });

  it('runs, and writes the scenario that it was into its run folder', async () => {
    const out = join(folder, 'run');
    const { code, err } = await startCli(
      [
        ...['sweep', '--quick', '--out', out, '--command', 'node server.mjs', '--env', 'POOL_MAX=2,4'],
        ...['--connections', '2', '--get', '/items?limit=10', '--sql', 'schema.sql', '--sql', 'data.sql'],
      ],
      { cwd: items },
    ).done;
    expect(code, err).toBe(exitCodeOf(out));
    const file = join(out, 'pool-max.yaml');
    expect(readdirSync(out)).toContain('pool-max.yaml');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { scenario } = readJournal(join(out, 'journal.jsonl')).run;
    const again = loadScenario(file);
    expect(again).toMatchObject({ name: scenario.name, target: scenario.target, dataset: scenario.dataset });
    expect(again.variants).toEqual(scenario.variants);
    expect(again.load.workload).toEqual(scenario.load.workload);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('POOL_MAX=4');
  });
});
