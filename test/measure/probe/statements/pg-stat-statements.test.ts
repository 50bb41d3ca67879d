import { expect, it } from 'vitest';
import { pgStatStatements } from '../../../../src/measure/probe/statements/pg-stat-statements.ts';
import { shortText } from '../../../../src/measure/probe/statements/reading.ts';
import { checkpoint } from '../../../../src/measure/stack/common/databases.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { withPostgres } from '../../stack/postgres.ts';
import { describeProbed } from '../probed.ts';

it('a text is one line without comments, and cut where it is long', () => {
  expect(shortText('SELECT  a, -- the name\n\tb /* of\nit */ FROM t')).toBe('SELECT a, b FROM t');
  expect(shortText(`SELECT ${'a, '.repeat(200)}b`)).toMatch(/^.{299}…$/);
});

describeProbed('pg_stat_statements', {}, (probed) => {
  it('tells the statements of a slice and of that database alone, exactly, without the probe’s own', async () => {
    const [database, other] = [
      await probed.database('CREATE TABLE t (n int PRIMARY KEY, s text)'),
      await probed.database('CREATE TABLE t (n int PRIMARY KEY, s text)'),
    ];
    const [client, stranger] = [await database.client(), await other.client()];
    const insert = 'INSERT INTO t VALUES ($1, $2)';
    for (let n = 0; n < 50; n++) await client.query(insert, [n, 'warm-up']);
    const probe = await probed.open(pgStatStatements.open);
    const { values, rows = [] } = await database.during(probe, async () => {
      for (let n = 100; n < 300; n++) await client.query(insert, [n, 'x'.repeat(500)]);
      for (let n = 0; n < 30; n++) await client.query(`SELECT s FROM t WHERE n < ${100 + n}`);
      for (let n = 0; n < 10; n++) await client.query('SELECT pg_sleep(0.02)');
      await stranger.query('INSERT INTO t SELECT n FROM generate_series(1, 1000) n');
    });
    expect(values).toMatchObject({ statements: 3, statement_calls: 240 });
    const [sleep, ...rest] = rows;
    expect(sleep).toMatchObject({ statement: 'SELECT pg_sleep($1)', calls: 10, rows: 10, blocks_read: 0 });
    // A wait that ends a little early is still 20 ms.
    expect(sleep?.mean_ms).toBeGreaterThan(19);
    expect(sleep?.total_ms).toBeCloseTo(10 * Number(sleep?.mean_ms), 1);
    expect(rest.find(({ statement }) => statement === insert)).toMatchObject({ calls: 200, rows: 200 });
    expect(rest.find(({ statement }) => statement === insert)?.wal_bytes).toBeGreaterThan(200 * 500);
    expect(rest.find(({ statement }) => statement === 'SELECT s FROM t WHERE n < $1')).toMatchObject({
      calls: 30,
      wal_bytes: 0,
    });
    expect(values.statement_wal_kb).toBeGreaterThan(100);
    expect(probed.warnings).toEqual([]);
  });

  it('tells whole pages in the WAL from records: none in the servers of a run, one for each page with housekeeping', async () => {
    const { postgres } = probed.server;
    const imagesOf = async (): Promise<number | undefined> => {
      const database = await probed.database('CREATE TABLE t AS SELECT n FROM generate_series(1, 20000) n');
      const client = await database.client();
      await checkpoint(postgres);
      const probe = await probed.open(pgStatStatements.open);
      const { values } = await database.during(probe, async () => {
        for (let times = 0; times < 2; times++) await client.query('UPDATE t SET n = n WHERE n % 2000 = 0');
      });
      return values.statement_wal_images;
    };
    expect(await imagesOf()).toBe(0);
    const write = async (setting: string): Promise<void> => {
      await query(postgres.adminUrl(), `ALTER SYSTEM ${setting}`);
      await query(postgres.adminUrl(), 'SELECT pg_reload_conf()');
    };
    await write('SET full_page_writes = on');
    await expect.poll(() => query(postgres.adminUrl(), 'SHOW full_page_writes')).toEqual([{ full_page_writes: 'on' }]);
    // Ten rows on ten of the table's 89 pages, of which each has its image once. With checksums (Postgres 18) hint bits count, too.
    const images = await imagesOf();
    expect(images).toBeGreaterThanOrEqual(10);
    expect(images).toBeLessThan(100);
    await write('RESET full_page_writes');
  });

  it('is silent over a slice without load', async () => {
    const database = await probed.database();
    const probe = await probed.open(pgStatStatements.open);
    const { values, rows } = await database.during(probe, async () => {});
    expect(values).toMatchObject({ statements: 0, statement_calls: 0, statement_total_ms: 0 });
    expect(rows).toEqual([]);
  });

  it('says what is missing where the extension is not created', async () => {
    const url = probed.server.postgres.adminUrl();
    await query(url, 'DROP EXTENSION pg_stat_statements');
    expect(await pgStatStatements.open(probed.context())).toEqual({
      name: 'pg-stat-statements',
      absent: 'the extension is not in the database postgres: CREATE EXTENSION pg_stat_statements',
    });
    await query(url, 'CREATE EXTENSION pg_stat_statements');
  });
});

const plain = withPostgres();
it('is absent where its library is not loaded, whether the extension is there or not', async () => {
  const context = { postgres: plain.postgres, generatorPid: 0, samplesFolder: '/no/such', onWarning: () => {} };
  expect(await pgStatStatements.open(context)).toMatchObject({
    absent: "pg_stat_statements is not among the server's shared_preload_libraries",
  });
  await query(plain.postgres.adminUrl(), 'CREATE EXTENSION pg_stat_statements');
  expect(await pgStatStatements.open(context)).toMatchObject({ absent: expect.stringMatching(/must be loaded via/) });
});
