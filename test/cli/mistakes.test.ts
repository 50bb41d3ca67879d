import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { everyPostgres, type FoundPostgres } from '../../src/measure/stack/embedded/find-binaries.ts';
import { run } from './in-process.ts';

const items = 'test/fixtures/services/items.yaml';
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('mistakes', () => {
  it.each([
    [['sweep', 'nope.yaml'], /error: nope\.yaml cannot be read/],
    [['sweep', '--rounds', '0'], /Expected a whole number from 1/],
    [['sweep', '--budget', 'soon'], /Expected a duration/],
    [['sweep', '--budget', '5'], /Expected a duration with its unit: 5s or 5m/],
    [['sweep', '--stack', 'cloud'], /Allowed choices are auto, docker, embedded, external/],
    [['sweep', '--qick'], /Did you mean --quick/],
    [['sweep', '--resume', 'nope'], /nope\/journal\.jsonl cannot be read/],
    [
      ['sweep', 's.yaml', '--resume', 'nope'],
      /--resume takes the scenario from the run, but .* names s\.yaml too\nLeave s\.yaml out to resume nope\./,
    ],
    [['tune', '--resume', 'nope', 's.yaml'], /names s\.yaml too/],
    // As Next names it: the options are known.
    [['tune', '--resume', 'nope', '--budget', '8m', '--settle', 'all'], /nope\/journal\.jsonl cannot be read/],
  ])('pgsweep %j', async (args, expected) => {
    const { code, err, out } = await run(...args);
    expect(code).toBe(2);
    expect(err).toMatch(expected);
    expect(out).toBe('');
  });

  it('away from a clone, a sample scenario is named where it is', async () => {
    const cwd = process.cwd();
    onTestFinished(() => process.chdir(cwd));
    const sampleIn = (text: string): string | undefined => /\S+pool-size\.yaml/.exec(text)?.[0];
    expect(sampleIn((await run('plan', 'nope.yaml')).err)).toBe('scenarios/pool-size.yaml');
    process.chdir(folder);
    for (const text of [
      (await run('plan', 'nope.yaml')).err,
      (await run('plan', '--help')).out.split('Examples:')[1],
    ]) {
      const file = sampleIn(text ?? '');
      expect(file).not.toBe('scenarios/pool-size.yaml');
      expect(existsSync(file ?? '')).toBe(true);
    }
  });

  it.each([
    [['--template', 'Southrige'], 'did you mean Southridge?'],
    [['--base-url', 'localhost:3000'], 'expected a URL such as'],
    [['--base-url', 'http://127.0.0.1:1'], 'nothing answers at'],
    [['--edfi', 'x', '--template', 'GrandBend'], 'cannot be used with'],
    [['--retries', 'many'], 'Expected a whole number'],
  ])('pgsweep bulk-load %j', async (args, expected) => {
    const { code, err } = await run('bulk-load', ...args, '--out', join(folder, 'out'));
    expect(code).toBe(2);
    expect(err).toContain(expected);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});

describe('plan warns', () => {
  const planOf = async (rest: string) => {
    const file = join(folder, 'untitled.yaml');
    const load = 'control: A\nload: { connections: 1, workload: get-schools }\n';
    writeFileSync(file, `target: { service: documents }\n${rest}\n${load}`);
    return run('plan', file);
  };

  it('of variants that are twins, under the name of the file where there is no title', async () => {
    const { code, out, err } = await planOf('variants: { A: {}, B: {} }');
    expect(code).toBe(0);
    expect(out).toMatch(/^untitled\n/);
    expect(err).toBe(
      'warning: The variants "A" and "B" are identical: what differs between them is noise. Leave all but one out of variants or sweep: the control is compared with itself anyway.\n',
    );
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
    const { code, out } = await run('plan');
    expect(code).toBe(0);
    expect(out).toContain('\nstack: embedded (asked for)\n');
    expect(out).toContain('pool=10 (A/A)');
    expect(out).toMatch(/expected: at most \d+\.\d minutes/);
    expect(out).toMatch(
      /\n(after \d+ rounds effects of about [\d.]+ % can be seen, judging by results|smallest effect that it can see: not known, results\/ has no run on this machine\n)/,
    );
    const { out: json } = await run('plan', items, '--json');
    expect(JSON.parse(json)).toMatchObject({
      cells: 4,
      stack: { kind: 'embedded', reason: 'asked for' },
      arms: [{ name: 'pool=4' }, { name: 'pool=4 (A/A)', repeat: true }, { name: 'pool=1' }],
    });
  });

  it('init writes a scenario that is valid, and overwrites nothing', async () => {
    const file = join(folder, 'mine.yaml');
    expect((await run('init', file)).code).toBe(0);
    expect((await run('plan', file)).code).toBe(0);
    const { code, err } = await run('init', file);
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
