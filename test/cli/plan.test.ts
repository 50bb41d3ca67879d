import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { everyPostgres, type FoundPostgres } from '../../src/stack/embedded/find-binaries.ts';
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
    [['sweep', 'nope.yaml'], /error: nope\.yaml cannot be read/],
    [['sweep', '--rounds', '0'], /Expected a whole number from 1/],
    [['sweep', '--budget', 'soon'], /Expected a duration/],
    [['sweep', '--stack', 'cloud'], /Expected one of auto, docker, embedded, external/],
    [['swep'], /Did you mean sweep/],
    [['sweep', '--qick'], /Did you mean --quick/],
    [['report', 'nope'], /nope\/journal\.jsonl cannot be read/],
    [['report', 'src'], /src\/journal\.jsonl cannot be read/],
    [['sweep', '--resume', 'nope'], /nope\/journal\.jsonl cannot be read/],
  ])('pgsweep %j', async (args, expected) => {
    const { code, err, out } = await cli(...args);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
    expect(out).toBe('');
  });

  it('a run folder that is taken is not overwritten', async () => {
    cpSync('test/fixtures', run, { recursive: true });
    writeFileSync(join(run, 'journal.jsonl'), '');
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
    expect((await startCli(['init'], { cwd }).done).out).toMatch(/^wrote pgsweep\.yaml\n.*\n {2}pgsweep plan\n/);
    const [line = ''] = readFileSync(join(cwd, 'pgsweep.yaml'), 'utf8').split('\n');
    const schema = /^# yaml-language-server: \$schema=(file:\S+)$/.exec(line)?.[1] ?? '';
    expect(existsSync(new URL(schema))).toBe(true);
    expect((await startCli(['plan'], { cwd }).done).out).toMatch(/^Which pool size suits my service\?\n/);
  });
});

describe('plan warns', () => {
  const planOf = async (rest: string) => {
    const file = join(folder, 'untitled.yaml');
    const load = 'control: A\nload: { connections: 1, workload: get-schools }\n';
    writeFileSync(file, `target: { service: documents }\n${rest}\n${load}`);
    return cli('plan', file);
  };

  it('of variants that are twins, under the name of the file where there is no title', async () => {
    const { code, out, err } = await planOf('variants: { A: {}, B: {} }');
    expect(code).toBe(0);
    expect(out).toMatch(/^untitled\n/);
    expect(err).toBe('warning: the variants "A" and "B" are identical: what differs between them is noise\n');
  });

  it('and refuses a setting that the Postgres of this machine does not have', async () => {
    const { version } = findFirst();
    // One that is no more, and one that was not yet: whichever Postgres is here lacks one of them.
    const setting = Number.parseInt(version, 10) >= 17 ? 'old_snapshot_threshold' : 'summarize_wal';
    const { code, err } = await planOf(`variants: { A: {}, B: { settings: { ${setting}: 1 } } }`);
    expect(code).toBe(2);
    expect(err).toContain(`error: variant "B": Postgres ${Number.parseInt(version, 10)} has no setting "${setting}": `);
  });
});

describe('plan and init', () => {
  it('plan says what a sweep would do, and runs nothing', async () => {
    const { code, out } = await cli('plan');
    expect(code).toBe(0);
    expect(out).toContain('\nstack: embedded (asked for)\n');
    expect(out).toContain('pool=10 (A/A)');
    expect(out).toMatch(/expected: at most \d+\.\d minutes/);
    expect(out).toMatch(
      /\n(after \d+ rounds effects of about [\d.]+ % can be seen, going by results|how small an effect it can see is not known: no run on this machine is in results\/\n)/,
    );
    const { out: json } = await cli('plan', items, '--json');
    expect(JSON.parse(json)).toMatchObject({
      cells: 4,
      stack: { kind: 'embedded', reason: 'asked for' },
      arms: [{ name: 'pool=4' }, { name: 'pool=4 (A/A)', repeat: true }, { name: 'pool=1' }],
    });
  });

  it('plan --check looks as a sweep does before its first round', async () => {
    const [{ code, out }, json] = await Promise.all([
      cli('plan', items, '--check'),
      cli('plan', items, '--check', '--json'),
    ]);
    expect(code).toBe(/^problem/m.test(out) ? 3 : 0);
    expect(out).toMatch(/\nok +requests +"list" \(GET \/items\) 200; "create" \(POST \/items\) 201\n/);
    expect(out).toMatch(/\nok +connections +the pools of 3 arms on one Postgres may open 9 connections; /);
    const names = (JSON.parse(json.out) as { findings: { name: string }[] }).findings.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['foreign cpu', 'stack', 'budget', 'connections', 'service', 'requests']),
    );
    await untilNothingIsLeft();
  });

  it('init writes a scenario that is valid, and overwrites nothing', async () => {
    const file = join(folder, 'mine.yaml');
    expect((await cli('init', file)).code).toBe(0);
    expect((await cli('plan', file)).code).toBe(0);
    const { code, err } = await cli('init', file);
    expect(code).toBe(2);
    expect(err).toContain('is there already');
    expect(existsSync(file)).toBe(true);
  });
});

/** The Postgres that a run without containers has. */
function findFirst(): FoundPostgres {
  for (const found of everyPostgres()) return found;
  throw new Error('there is no Postgres on this machine');
}
