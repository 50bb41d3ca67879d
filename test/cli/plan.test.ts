import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load-scenario.ts';
import { blocksOf } from '../docs/pages.ts';
import { needs } from '../support/needs.ts';
import { cli, startCli } from './cli.ts';
import { untilNothingIsLeft } from './left-overs.ts';

const items = 'test/fixtures/services/items.yaml';
let folder: string;
let run: string;
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
});
beforeEach(() => {
  run = join(folder, `run-${runs++}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('mistakes', () => {
  it.each([
    [['swep'], /Did you mean sweep/],
    [['report', 'nope'], /nope\/journal\.jsonl cannot be read/],
    [['report', 'src'], /src\/journal\.jsonl cannot be read/],
  ])('pgsweep %j', async (args, expected) => {
    const { code, err, out } = await cli(...args);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
    expect(out).toBe('');
  });

  it('a run folder that is taken is not overwritten', async () => {
    cpSync('test/fixtures', run, { recursive: true });
    writeFileSync(join(run, 'journal.jsonl'), '{"type":"run"');
    const { code, err } = await cli('sweep', '--quick', '--out', run);
    expect(code).toBe(2);
    expect(err).toContain('already holds a run');
  });

  it('a Postgres that does not start shows its log', async () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(
      file,
      `title: x\ntarget: { service: documents }\nstack: { postgres: { settings: { shared_buffers: lots } } }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { connections: 1, workload: get-schools }\n`,
    );
    const { code, err } = await cli('sweep', file, '--out', run);
    // A value that Postgres does not take is the scenario's to mend.
    expect(code).toBe(2);
    expect(err).toMatch(/error: .*shared_buffers/s);
    expect(err).toContain('Nothing was measured');
  });
});

describe('without a name', () => {
  it('sweep, plan and doctor take pgsweep.yaml where it is', async () => {
    const cwd = mkdtempSync(join(folder, 'bare-'));
    writeFileSync(join(cwd, 'pgsweep.yaml'), 'titel: mine\n');
    const commands = ['sweep', 'plan', 'doctor'].map((command) => startCli([command], { cwd }).done);
    for (const { code, err } of await Promise.all(commands)) {
      expect(code).toBe(2);
      expect(err).toMatch(/^error: pgsweep\.yaml:1:1: .*\n(.*\n)*.*unknown key "titel": .*did you mean "title"/);
      const schema = /what they mean: (\S+scenario\.schema\.json);/.exec(err)?.[1] ?? '';
      expect(existsSync(resolve(cwd, schema))).toBe(true);
    }
  });

  it('init writes it, plan takes it, and its first line is where editors find the schema', async () => {
    const cwd = mkdtempSync(join(folder, 'init-'));
    writeFileSync(join(cwd, 'server.js'), '');
    expect((await startCli(['init'], { cwd }).done).out).toMatch(
      /^wrote pgsweep\.yaml\n.*\n {2}pgsweep plan\n {2}pgsweep plan --check\n/,
    );
    const [line = ''] = readFileSync(join(cwd, 'pgsweep.yaml'), 'utf8').split('\n');
    const schema = /^# yaml-language-server: \$schema=(file:\S+)$/.exec(line)?.[1] ?? '';
    expect(existsSync(new URL(schema))).toBe(true);
    const { out } = await startCli(['plan'], { cwd }).done;
    expect(out).toMatch(/^Which pool size suits my service\?\n/);
    expect(out).toContain("\nPostgres's housekeeping: off: no autovacuum, a checkpoint a day");
  });

  it('init writes one for the sample service where there is nothing but what npm has left', async () => {
    const cwd = mkdtempSync(join(folder, 'empty-'));
    writeFileSync(join(cwd, 'package.json'), '{}');
    const { out } = await startCli(['init'], { cwd }).done;
    expect(out).toMatch(
      /^wrote pgsweep\.yaml, for the sample service\nNext:\n {2}pgsweep plan\n {2}pgsweep plan --check\n/,
    );
    expect((await startCli(['plan'], { cwd }).done).out).toMatch(/^Connection pool size /);
  });
});

describe('plan', () => {
  it.each([
    ['sql: ALTER SYSTEM SET jit = off', 'sql of some variant reaches beyond its database'],
    ['sql: { apply: SELECT 1, undo: SELECT 2 }', 'sql of some variant reaches beyond its database'],
    ['settings: { shared_buffers: 1GB }', 'some settings need a restart'],
    ['postgres: { version: 17 }', 'some variants have their own Postgres'],
  ])('says why each arm has its own server: %s', async (change, reason) => {
    const file = join(folder, 'servers.yaml');
    const load = 'load: { connections: 1, requests: [{ path: / }] }';
    writeFileSync(file, `target: { command: node s.js }\nvariants: { A: {}, B: { ${change} } }\ncontrol: A\n${load}\n`);
    const { out } = await cli('plan', file);
    expect(out).toContain(`3 Postgres servers, one for each arm, all started fresh in every round, since ${reason}\n`);
  });

  it('of pools that do not fit ends with their sum, and is shown all the same', async () => {
    const under = (connections: number) => {
      const file = join(folder, `overcommitted-${connections}.yaml`);
      writeFileSync(
        file,
        `target: { service: documents }
sweep: { pool: { env: POOL_MAX, levels: [10, 30] }, instances: { instances: [1, 4] } }
control: { pool: 10, instances: 1 }
load: { connections: ${connections}, workload: upsert-schools }
stack: { postgres: { settings: { max_connections: 100 } } }
`,
      );
      return cli('plan', file);
    };
    const [{ code, out, err }, mayFit] = await Promise.all([under(50), under(1)]);
    expect(code).toBe(2);
    expect(out).toContain('\ninstances: 1 and 4 processes of the service, connections dealt to them in order\n');
    expect(err).toMatch(
      /^error: the pools of 5 arms on one Postgres may open .* \(4 instances x 30 = 120 in "pool=30, instances=4"\), /,
    );
    expect(err).toContain('smaller pools or fewer instances');
    // As its help says.
    expect(mayFit.code).toBe(0);
    expect((await cli('plan', '--help')).out).toContain('2 if max_connections is too small for the heaviest load.');
    expect(mayFit.err).toMatch(/^warning: The pools of 5 arms on one Postgres may open /);
  });
});

const linux = await needs('linux');

describe('plan --check', () => {
  it('looks as a sweep does before its first round', async () => {
    mkdirSync(run);
    chmodSync(run, 0o777);
    const [{ code, out }, json] = await Promise.all([
      cli('plan', items, '--check'),
      cli('plan', items, '--check-control', '--json', '--out', run),
    ]);
    expect(code).toBe(/^problem/m.test(out) ? 3 : 0);
    expect(out).toMatch(/\nok +requests +"list" \(GET \/items\) 200; "create" \(POST \/items\) 201\n/);
    expect(out).toMatch(/\nok +connections +the pools of 3 arms on one Postgres may open 9 connections; /);
    // Every variant, with its database and the role that it has there; the other way the control alone.
    const reached = /"(pool=\d)" uses its copy: \d sessions? as pgsweep/g;
    expect([...out.matchAll(reached)].map(([, variant]) => variant)).toEqual(['pool=4', 'pool=1']);
    expect([...json.out.replaceAll('\\"', '"').matchAll(reached)].map(([, variant]) => variant)).toEqual(['pool=4']);
    const { findings } = JSON.parse(json.out) as { findings: { name: string }[] };
    // Both go by what it took to start the service.
    const [, minutes, seconds] = /\nok +budget +about \d+ rounds in (?:(\d+) min ?)?(?:(\d+) s)?/.exec(out) ?? [];
    const [, expected] = /\nexpected: at most (\S+) minutes\n/.exec(out) ?? [];
    expect(Math.abs(Number(minutes ?? 0) + Number(seconds ?? 0) / 60 - Number(expected))).toBeLessThan(0.07);
    expect(findings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['foreign cpu', 'stack', 'budget', 'connections', 'service', 'requests']),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        name: 'run folder',
        state: 'warning',
        found: `everybody on this machine can write to ${run}`,
      }),
    );
    expect(readdirSync(run)).toEqual([]);
    await untilNothingIsLeft();
  });

  it('finds the scenario of docs/indexes-and-locks.md about an index right for the example service', async () => {
    const block = blocksOf('docs/indexes-and-locks.md').find(
      ({ text }) => text.includes('hideIndex') && text.includes('requests:'),
    );
    const example = mkdtempSync(join(folder, 'index-'));
    for (const name of ['server.mjs', 'schema.sql', 'data.sql'])
      symlinkSync(resolve('docs/examples/items', name), join(example, name));
    const file = join(example, 'index.yaml');
    writeFileSync(file, block?.text ?? '');
    // What it gives and what it costs: one index hidden and dropped, under requests that read by it and that write it.
    const { variants, load } = loadScenario(file);
    expect(variants.map(({ treatment }) => [treatment?.dropIndex ?? [], treatment?.hideIndex ?? []])).toEqual([
      [[], []],
      [['ix_items_name'], []],
      [[], ['ix_items_name']],
    ]);
    expect(load.workload).toMatchObject({ requests: [{ method: 'GET' }, { method: 'POST' }] });
    const { code, out } = await cli('plan', file, '--check');
    expect(code, out).toBe(/^problem/m.test(out) ? 3 : 0);
    expect(out).toMatch(
      /\nok +requests +"find by name" \(GET \/items\?name=item%20\d+\) 200; "create" \(POST \/items\) 201\n/,
    );
    await untilNothingIsLeft();
  });

  it('finds a run folder that is there and cannot be written, and starts nothing', linux.orSkip, async () => {
    for (const folder of ['.', 'samples', 'logs']) mkdirSync(join(run, folder), { recursive: true });
    chmodSync(run, 0o555);
    // Root may write everywhere.
    const asOthers = ['setpriv', '--inh-caps=-all', '--bounding-set=-dac_override,-dac_read_search'];
    const through = process.getuid?.() === 0 ? asOthers : [];
    const { code, out, err } = await startCli(['plan', items, '--check', '--out', run], { through }).done;
    expect(code).toBe(2);
    expect(out).toMatch(/\nproblem +usage +the folder \S+ cannot be written: EACCES/);
    expect(err).not.toContain('Postgres');
  });
});
