import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { libpqEnv } from '../../../../src/base/libpq-env.ts';
import { openLedger } from '../../../../src/base/process/ledger.ts';
import { cleanUpAfter, startReaper } from '../../../../src/base/process/reaper.ts';
import { maskKnown } from '../../../../src/base/secrets.ts';
import {
  checkpoint,
  copyDatabase,
  createDatabase,
  sealTemplate,
} from '../../../../src/measure/stack/common/databases.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { openExternalOpenSearch } from '../../../../src/measure/stack/external/opensearch.ts';
import { loginForLeft, openExternalPostgres } from '../../../../src/measure/stack/external/postgres.ts';
import { wholeUrl } from '../../../../src/measure/stack/external/whole-url.ts';
import { withPostgres } from '../postgres.ts';

const db = withPostgres();

/** The URL of a role of this name, whose password is its name. */
function urlOf(role: string, password = role): string {
  const url = new URL(db.postgres.adminUrl());
  url.username = role;
  url.password = password;
  return url.href;
}

const databases = async (): Promise<string[]> =>
  (await query(db.postgres.adminUrl(), 'SELECT datname FROM pg_database ORDER BY 1')).map(({ datname }) =>
    String(datname),
  );

async function failure(action: Promise<unknown>): Promise<PgsweepError> {
  const error = await action.catch((reason: unknown) => reason);
  if (error instanceof PgsweepError) return error;
  throw new Error(`expected a PgsweepError, got ${String(error)}`);
}

beforeAll(async () => {
  const run = (sql: string) => query(db.postgres.adminUrl(), sql);
  await run(`CREATE ROLE maker LOGIN CREATEDB PASSWORD 'maker'`);
  await run(`CREATE ROLE reader LOGIN PASSWORD 'reader'`);
  await run('CREATE DATABASE pgsweep_template');
});

describe('a Postgres that somebody else runs', () => {
  const open = (url: string) => openExternalPostgres(url, { reaper: db.reaper });

  it('gets databases under names of their own from who may create them, and keeps all that it had', async () => {
    const before = await databases();
    const server = await open(urlOf('maker'));
    const { databasePrefix = '' } = server;
    expect(databasePrefix).toMatch(/^pgsweep_[0-9a-f]{10}_$/);
    const [template, name] = [`${databasePrefix}template`, `${databasePrefix}r1_a0`];
    await createDatabase(server, template);
    await query(server.adminUrl(template), 'CREATE TABLE t AS SELECT 1 AS n');
    await sealTemplate(server, template);
    await copyDatabase(server, { template, name });
    expect(await query(server.adminUrl(name), 'SELECT n FROM t')).toEqual([{ n: 1 }]);
    // It may not, which is no reason to end the run, but is said.
    await checkpoint(server);
    expect(server.note).toContain('maker may not CHECKPOINT');
    expect(server.pid).toBeNull();
    expect(server.kind).toBe('external');
    await server.stop();
    expect(await databases()).toEqual(before);
  });

  it('is written down without its password; what is left there goes once the password is given again', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'pgsweep-left-'));
    vi.stubEnv('XDG_CACHE_HOME', cache);
    const ledger = openLedger(null);
    vi.unstubAllEnvs();
    if (ledger === null) throw new Error('no ledger');
    const reaper = startReaper({ ledger });
    const server = await openExternalPostgres(urlOf('maker'), { reaper });
    const name = `${server.databasePrefix}r1_a0`;
    await createDatabase(server, name);
    const written = readFileSync(ledger.file, 'utf8');
    expect(written).toContain('postgres://maker@');
    expect(written).not.toContain('maker:maker');
    const messages = written.split('\n').filter((line) => line.includes('"command"'));
    // Of the two files it removes one by itself when all is gone.
    const left = { file: join(cache, 'copy'), run: null, messages, sameBoot: true };

    const [refused, ...others] = await cleanUpAfter(left, loginForLeft(urlOf('maker', 'wrong')));
    expect(others).toEqual([]);
    expect(refused).toMatch(/ could not be removed: 127\.0\.0\.1:\d+ as maker: password authentication failed/);
    expect(refused).toContain('pgsweep clean --postgres URL');
    const elsewhere = await cleanUpAfter(left, loginForLeft('postgres://maker:maker@127.0.0.1:1/postgres'));
    expect(elsewhere[0]).toContain(' as maker: ');
    expect(await databases()).toContain(name);

    expect(await cleanUpAfter(left, loginForLeft(urlOf('maker')))).toEqual([`${server.databasePrefix} removed`]);
    expect(await databases()).not.toContain(name);
    await server.stop();
    await reaper.close();
    rmSync(cache, { recursive: true });
  });

  it('gives services the user and password of PGUSER and PGPASSWORD, where its URL has none', async () => {
    const bare = new URL(db.postgres.adminUrl());
    bare.username = '';
    bare.password = '';
    await query(db.postgres.adminUrl(), `CREATE ROLE "by env" LOGIN CREATEDB PASSWORD 'p%40 "@'`);
    for (const [name, value] of Object.entries({ PGUSER: 'by env', PGPASSWORD: 'p%40 "@' })) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await open(bare.href);
    const other = await open(urlOf('maker'));
    vi.unstubAllEnvs();
    expect(libpqEnv(server.adminUrl('x'))).toMatchObject({ PGUSER: 'by env', PGPASSWORD: 'p%40 "@', PGDATABASE: 'x' });
    expect(await query(server.adminUrl(), 'SELECT current_user AS name')).toEqual([{ name: 'by env' }]);
    expect(maskKnown(server.adminUrl())).not.toContain(new URL(server.adminUrl()).password);
    expect(maskKnown('p%40 "@')).toBe('***');
    expect(other.adminUrl()).toBe(urlOf('maker'));
    await Promise.all([server.stop(), other.stop()]);
  });

  it('gives services the password of ~/.pgpass, and all that its URL has in parameters', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-pass-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await query(db.postgres.adminUrl(), `CREATE ROLE filed LOGIN CREATEDB PASSWORD 'in a file'`);
    const { port } = new URL(db.postgres.adminUrl());
    const file = join(folder, 'pass');
    writeFileSync(file, `127.0.0.1:${port}:*:filed:in a file\n`, { mode: 0o600 });
    vi.stubEnv('PGPASSFILE', file);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await open(`postgres:///postgres?host=127.0.0.1&port=${port}&user=filed`);
    vi.unstubAllEnvs();
    expect(server.adminUrl('x')).toBe(`postgres://filed:in%20a%20file@127.0.0.1:${port}/x`);
    expect(await query(server.adminUrl(), 'SELECT current_user AS name')).toEqual([{ name: 'filed' }]);
    expect(maskKnown('in a file')).toBe('***');
    await server.stop();
  });

  it('has parameters that programs of libpq read, and passwords with a percent sign', () => {
    const options = 'postgres://u@h/d?options=-c%20work_mem%3D64MB%20-c%20jit%3Doff';
    expect(wholeUrl(options)).toBe(options);
    expect(wholeUrl('postgres://u:100%@h/d')).toBe('postgres://u:100%25@h/d');
    expect(wholeUrl('postgres://u%40v:a%2Bb@h/d')).toBe('postgres://u%40v:a%2Bb@h/d');
  });

  it('without TLS is reached by PGSSLMODE=allow', async () => {
    vi.stubEnv('PGSSLMODE', 'allow');
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await open(urlOf('maker'));
    await expect(query(server.adminUrl(), 'SELECT 1 AS n')).resolves.toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('whose user may not create databases', async () => {
    const { message, hint } = await failure(open(urlOf('reader')));
    expect(message).toMatch(/^the user reader of 127\.0\.0\.1:\d+ may not create databases$/);
    expect(hint).toContain('ALTER ROLE "reader" CREATEDB');
  });

  it('with a wrong password, on which nothing listens, and by something that is no URL', async () => {
    const wrong = await failure(open(urlOf('maker', 'wrong')));
    expect(wrong.message).toMatch(/^cannot use the Postgres on 127\.0\.0\.1:\d+: password authentication failed/);
    expect(wrong.hint).toContain('Is the password of maker right');
    expect(wrong.message).not.toContain('wrong');
    expect((await failure(open('postgres://u:p@127.0.0.1:1/x'))).message).toContain('ECONNREFUSED');
    expect((await failure(open('localhost:5432'))).code).toBe('usage');
  });
});

describe('an OpenSearch that somebody else runs', () => {
  let health = 'yellow';
  const node = createServer(({ url }, answer) => {
    const answers: Record<string, unknown> = {
      '/': { name: 'n', version: { number: '2.19.6' } },
      '/_cluster/health': { status: health },
      '/_nodes/_local/jvm': { nodes: { a: { jvm: { version: '17.0.1', mem: { heap_max_in_bytes: 2 ** 29 } } } } },
    };
    answer.end(JSON.stringify(answers[url?.split('?')[0] ?? ''] ?? {}));
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    const address = node.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterAll(() => node.close());

  it('says what it is', async () => {
    const found = await openExternalOpenSearch(`${url}/`);
    expect(found).toMatchObject({ kind: 'external', version: '2.19.6', java: 'Java 17', heapMb: 512, url, pid: null });
  });

  it('that is unhealthy, is not there, or is something else', async () => {
    health = 'red';
    expect((await failure(openExternalOpenSearch(url))).message).toContain('is unhealthy: its state is red');
    expect((await failure(openExternalOpenSearch('http://127.0.0.1:1'))).message).toContain(
      'cannot use the OpenSearch',
    );
    expect((await failure(openExternalOpenSearch('postgres://x'))).code).toBe('usage');
  });
});
