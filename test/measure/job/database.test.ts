import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import { coolBuffers, warmBuffers } from '../../../src/measure/job/buffers.ts';
import { rowsOfCheck, wrongRows } from '../../../src/measure/job/check-rows.ts';
import { createDatabase } from '../../../src/measure/stack/common/databases.ts';
import type { StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';
import { needs } from '../../support/needs.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';

const needed = await needs('postgres-17');
const NAME = 'job';

describe('the database of a job', needed.orSkip, () => {
  let reaper: Reaper;
  let server: StartedPostgres;
  beforeAll(async () => {
    if (!needed.isHere) return;
    reaper = startReaper();
    server = await startEmbeddedPostgres({ reaper, server: { version: '17' } });
    await createDatabase(server, NAME);
    await rowsOf(NAME, 'CREATE TABLE t AS SELECT n, true AS flag, 2.00 AS two FROM generate_series(1, 20000) n');
  });
  afterAll(async () => {
    await server?.stop();
    await reaper?.close();
  });

  async function rowsOf(database: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: server.adminUrl(database) });
    await client.connect();
    try {
      return (await client.query({ text: sql, rowMode: 'array' })).rows;
    } finally {
      await client.end();
    }
  }

  /** Pages of `t` in shared_buffers, seen from another database. */
  async function cached(): Promise<number> {
    await rowsOf('postgres', 'CREATE EXTENSION IF NOT EXISTS pg_buffercache');
    const [[file] = []] = (await rowsOf(NAME, "SELECT pg_relation_filenode('t')")) as [number][];
    const [[count] = []] = (await rowsOf(
      'postgres',
      `SELECT count(*)::int FROM pg_buffercache WHERE relfilenode = ${file}
       AND reldatabase = (SELECT oid FROM pg_database WHERE datname = '${NAME}')`,
    )) as [number][];
    return count ?? -1;
  }

  it('is emptied for a cold one, changed pages too, and read in for a warm one, without traces that a job would find', async () => {
    const database = { adminUrl: server.adminUrl, database: NAME };
    await rowsOf(NAME, 'UPDATE t SET flag = false WHERE n % 7 = 0');
    await rowsOf(NAME, 'UPDATE t SET flag = true');
    expect(await cached()).toBeGreaterThan(100);
    expect(await coolBuffers(database)).toBe('cold');
    expect(await cached()).toBe(0);
    expect(await warmBuffers(database)).toBe('warm');
    expect(await cached()).toBeGreaterThan(100);
    expect(await rowsOf(NAME, "SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'")).toEqual([]);
  });

  it('has the rows that a check asks for, or the message says which it has', async () => {
    const url = server.adminUrl(NAME);
    const found = (sql: string, equals: number | string | boolean) => wrongRows({ sql, equals }, url);
    expect(await found('SELECT count(*) FROM t', 20_000)).toBeNull();
    expect(await found('SELECT two FROM t LIMIT 1', 2)).toBeNull();
    expect(await found('SELECT bool_and(flag) FROM t', true)).toBeNull();
    expect(await found("SELECT 'seven'", 'seven')).toBeNull();
    expect(await found('SELECT count(*) FROM t', 7)).toBe('load.job.check found 20000 where 7 is expected');
    expect(await found('SELECT n FROM t WHERE n < 0', 7)).toBe('load.job.check found nothing where 7 is expected');
    const one = 'one row with one value is expected';
    expect(await found('SELECT 7 FROM t LIMIT 2', 7)).toBe(`load.job.check found 2 rows where ${one}`);
    expect(await found('SELECT 7, 8', 7)).toBe(`load.job.check found 2 columns where ${one}`);
    // Of several statements the last says.
    expect(await found('SET search_path = public; SELECT count(*) FROM t', 20_000)).toBeNull();
    expect(await found('SELECT 7; SELECT 8', 7)).toBe('load.job.check found 8 where 7 is expected');
    expect(await found('SET search_path = public', 7)).toBe('load.job.check found nothing where 7 is expected');
    expect(await rowsOfCheck('SELECT 1; SELECT 2, NULL', url)).toEqual([['2', null]]);
    expect(await found('SELECT * FROM nowhere', 7)).toMatch(/^load\.job\.check failed: .*nowhere/);
  });
});

describe('a Postgres that cannot empty its buffers', async () => {
  const old = await needs('postgres-15');
  it('says so, and what it takes', old.orSkip, async () => {
    await using stopped = {
      reaper: startReaper(),
      async [Symbol.asyncDispose]() {
        await this.reaper.close();
      },
    };
    const server = await startEmbeddedPostgres({ reaper: stopped.reaper, server: { version: '15' } });
    try {
      await expect(coolBuffers({ adminUrl: server.adminUrl, database: 'postgres' })).rejects.toMatchObject({
        code: 'stack',
        message: expect.stringContaining('load.job.cold: this Postgres cannot empty its buffers'),
        hint: expect.stringContaining('Postgres 17 or later'),
      });
    } finally {
      await server.stop();
    }
  });
});
