import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../../../src/base/process/reaper-processes.mjs';
import { readJournal } from '../../../src/journal/journal.ts';
import type { PoolerSpec } from '../../../src/journal/link/pooler.ts';
import type { OpenedLink } from '../../../src/measure/link/link.ts';
import { openLink } from '../../../src/measure/link/open-link.ts';
import { exitCodeOf, startCli } from '../../cli/cli.ts';
import { untilNothingIsLeft } from '../../cli/left-overs.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';
import { needs } from '../../support/needs.ts';

const bouncer = await needs('pgbouncer');

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-pgbouncer-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a PgBouncer before a database', bouncer.orSkip, () => {
  const db = withPostgres();
  beforeAll(() => {
    vi.stubEnv('PGBOUNCER_BIN', bouncer.has);
    vi.stubEnv('PGSWEEP_TMP', folder);
  });
  afterAll(() => vi.unstubAllEnvs());

  const open = (pooler: Partial<PoolerSpec>): Promise<OpenedLink> => {
    const spec: PoolerSpec = { kind: 'pgbouncer', mode: 'transaction', size: 2, settings: {}, ...pooler };
    const variant = { name: 'pooled', factors: {}, env: {}, pooler: spec };
    const { signal } = new AbortController();
    return openLink({ variant, databaseUrl: db.postgres.adminUrl(), reaper: db.reaper, signal });
  };

  it('shares its connections among clients, shows what it does, and leaves nothing', async () => {
    const link = await open({ size: 1, connectQuery: 'SET jit = off' });
    const clients = [1, 2, 3].map(() => new pg.Client({ connectionString: link.url }));
    const pid = link.pids[0] ?? 0;
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const found = await Promise.all(clients.map((client) => client.query('SELECT pg_backend_pid() AS pid')));
      expect(new Set(found.map(({ rows }) => rows[0].pid)).size).toBe(1);
      expect((await clients[0]?.query('SHOW jit'))?.rows).toEqual([{ jit: 'off' }]);
      const [own] = ((await link.pooler?.show('POOLS')) ?? []).filter(({ database }) => database === 'postgres');
      expect(own).toMatchObject({ pool_mode: 'transaction' });
      expect(Number(own?.cl_active)).toBe(3);
      expect(await link.verify()).toMatchObject({ pooler: { version: expect.stringMatching(/^\d+\.\d+/) } });
      // It has the database's password.
      const [place = ''] = readdirSync(folder).filter((name) => name.startsWith('pgsweep-pb-'));
      expect(statSync(join(folder, place)).mode & 0o777).toBe(0o700);
      for (const file of ['pgbouncer.ini', 'userlist.txt'])
        expect(statSync(join(folder, place, file)).mode & 0o777).toBe(0o600);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await link.close();
    }
    expect(isRunning({ pid, group: true })).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('pgsweep-pb-'))).toEqual([]);
  });

  it('gives a service that has no application_name a session without that of the bench', async () => {
    const link = await open({ size: 1 });
    const client = new pg.Client({ connectionString: link.url });
    try {
      await client.connect();
      const { rows } = await client.query("SELECT current_setting('application_name') AS name");
      expect(rows).toEqual([{ name: '' }]);
    } finally {
      await client.end();
      await link.close();
    }
  });

  it('that does not take a setting is an error that names it, and so is a database that it does not reach', async () => {
    await expect(open({ settings: { server_idle_timeot: '1' } })).rejects.toMatchObject({
      code: 'scenario',
      message: expect.stringMatching(/^PgBouncer .* does not take the setting server_idle_timeot\. /),
      hint: expect.stringMatching(/settings: did you mean server_idle_timeout\?$/),
    });
    await expect(open({ settings: { server_idle_timeout: 'soon' } })).rejects.toMatchObject({
      code: 'scenario',
      hint: 'Correct the value of server_idle_timeout in pooler.pgbouncer.settings.',
    });
    await expect(open({ settings: { server_tls_sslmode: 'require' } })).rejects.toMatchObject({
      code: 'stack',
      message: expect.stringMatching(/^PgBouncer does not reach the database: /),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('pgsweep-pb-'))).toEqual([]);
  });
});

describe('a sweep through PgBouncer', bouncer.orSkip, () => {
  const env = () => ({ PGBOUNCER_BIN: bouncer.has });
  const services = resolve('test/fixtures/services');
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const items = (name: string, more: string): string =>
    write(
      name,
      `target: { command: node items.mjs, cwd: ${services}, pool: POOL_MAX, env: { POOL_MAX: 8 } }
dataset: { sql: ${services}/schema.sql, role: app }
variants:
  direct: {}
  transaction: { pooler: { pgbouncer: { mode: transaction, size: 2 } } }
control: direct
load: { connections: 8, slice: 1s, drop: 100ms, warmup: 300ms, requests: [{ path: /items }] }
${more}`,
    );

  it('measures it against none, with what it counts, and leaves none behind', async () => {
    const run = join(folder, 'run');
    const { code, err } = await startCli(['sweep', items('items.yaml', 'rounds: { min: 1, max: 1 }\n'), '--out', run], {
      env: env(),
    }).done;
    expect(code, err).toBe(exitCodeOf(run));
    const journal = readJournal(join(run, 'journal.jsonl'));
    expect(journal.run.provenance.poolerVersion).toMatch(/^PgBouncer \d+\.\d+/);
    const records = [...journal.records];
    // Directly and through PgBouncer: an ordinary role, which may read its tables.
    expect(journal.run.provenance.serviceRole).toMatchObject({ name: 'app', isSuperuser: false });
    expect(records.filter((record) => record.type === 'link')).toMatchObject([
      { variant: 'transaction', pooler: { asked: { mode: 'transaction', size: 2 } } },
    ]);
    const probed = records.flatMap((record) =>
      record.type === 'probe' && record.probe === 'pgbouncer' ? [record] : [],
    );
    expect(probed.map(({ arm }) => arm)).toEqual(['transaction']);
    const slice = records.find((record) => record.type === 'slice' && record.variant === 'transaction');
    if (slice?.type !== 'slice') throw new Error('no slice');
    expect(slice.outcomes).toMatchObject({ errors: 0, timeouts: 0 });
    expect(Object.keys(slice.outcomes.statuses)).toEqual(['200']);
    const values = probed[0]?.values ?? {};
    // A request is a transaction; what the probe sees begins before the first turn and ends after the last.
    expect(values.pgbouncer_transactions_per_s).toBeGreaterThan(0);
    expect(values.pgbouncer_cpu_cores).toBeGreaterThan(0);
    expect(values.pgbouncer_servers_mean).toBeLessThanOrEqual(2);
    expect(slice.work?.linkCpuMs).toBeGreaterThan(0);
    const report = readFileSync(join(run, 'report.md'), 'utf8');
    for (const text of ['PgBouncer, transaction mode, 2 connections', 'pgbouncer_wait_per_transaction_ms'])
      expect(report).toContain(text);
    await untilNothingIsLeft();
  });

  it('by Ctrl-C leaves none behind', async () => {
    const running = startCli(
      ['sweep', items('long.yaml', ''), '--out', join(folder, 'interrupted'), '--rounds', '40'],
      { env: env() },
    );
    await running.until('round 1 done');
    process.kill(running.pid, 'SIGINT');
    expect((await running.done).code).toBe(130);
    await untilNothingIsLeft();
  });

  it('refuses a service with named prepared statements by name, before anything is measured; one that sets is warned of', async () => {
    const prepared = (name: string, sessions: string, mode: string): string =>
      write(
        name,
        `target: { command: node prepared.mjs, cwd: ${services}, env: { SESSIONS: ${sessions} } }
dataset: { sql: ${services}/schema.sql }
variants: { direct: {}, pooled: { pooler: { pgbouncer: { mode: ${mode} } } } }
control: direct
load: { connections: 1, requests: [{ path: / }] }
`,
      );
    const check = (file: string) => startCli(['plan', file, '--check'], { env: env() }).done;
    const named = await check(prepared('named.yaml', 'named', 'transaction'));
    expect(named.code).toBe(2);
    expect(named.out + named.err).toContain(
      '"pooled" uses named prepared statements, which transaction mode of PgBouncer breaks',
    );
    expect(named.out + named.err).toContain('count-items: SELECT count(*) FROM items');
    const sets = await check(prepared('set.yaml', 'set', 'transaction'));
    expect(sets.out + sets.err).toContain('"pooled" uses SET, which transaction mode of PgBouncer breaks');
    expect(sets.code, sets.out + sets.err).not.toBe(2);
    await untilNothingIsLeft();
  });

  it('does not hide a service that asks its copy nothing: sessions of PgBouncer are no use of it', async () => {
    const file = write(
      'reach.yaml',
      `target: { command: node pooled.mjs, cwd: ${services}, pool: POOL_MAX, env: { POOL_MAX: 3 } }
dataset: { sql: ${services}/schema.sql, role: app }
variants:
  asking: { pooler: { pgbouncer: { size: 3 } } }
  cached: { pooler: { pgbouncer: { size: 3 } }, env: { CACHED: 1 } }
  far and cached: { distance: { rtt: 1ms }, env: { CACHED: 1 } }
control: asking
load: { connections: 2, requests: [{ path: /items }] }
`,
    );
    const { out, err } = await startCli(['plan', file, '--check', '--stack', 'embedded'], { env: env() }).done;
    const lines = out.split('\n').filter((line) => /^(ok|warning) +(database|role) /.test(line));
    expect(lines, err).toEqual([
      expect.stringMatching(/^ok +role +services get their copies as app$/),
      expect.stringMatching(/^ok +database +"asking" uses its copy: \d sessions? as app$/),
      expect.stringMatching(/^warning +database +"cached" used its copy for none of the requests/),
      expect.stringMatching(/^warning +database +"far and cached" used its copy for none of the requests/),
    ]);
  });

  it('without one ends before anything is started, and says what to install', async () => {
    const file = items('without.yaml', '');
    const missing = { PGBOUNCER_BIN: join(folder, 'nowhere') };
    const { code, err } = await startCli(['sweep', file, '--out', join(folder, 'none')], { env: missing }).done;
    expect(code).toBe(3);
    expect(err).toContain('apt-get install pgbouncer');
    expect(err).not.toContain('starting Postgres');
  });
});
