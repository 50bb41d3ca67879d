import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { pgStatDatabase } from '../../../../src/measure/probe/postgres/pg-stat-database.ts';
import { postgresIo } from '../../../../src/measure/probe/postgres/postgres-io.ts';
import { tableUse } from '../../../../src/measure/probe/postgres/table-use.ts';
import { checkpoint } from '../../../../src/measure/stack/common/databases.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { untilCheckpointerRests, untilCountsAreRead } from '../../stack/postgres.ts';
import { wholeLoad } from '../probe-context.ts';
import { describeProbed } from '../probed.ts';

/** Two sessions that lock two rows in opposite order; one of them is ended by the server. */
async function deadlock(one: pg.Client, other: pg.Client): Promise<void> {
  await one.query('BEGIN; UPDATE t SET s = s WHERE n = 1');
  await other.query('BEGIN; UPDATE t SET s = s WHERE n = 2');
  const results = await Promise.allSettled([
    one.query('UPDATE t SET s = s WHERE n = 2'),
    other.query('UPDATE t SET s = s WHERE n = 1'),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await Promise.all([one.query('ROLLBACK'), other.query('ROLLBACK')]);
}

const table = `CREATE TABLE t AS SELECT n, repeat('x', 50) AS s FROM generate_series(1, 20000) n`;

describeProbed('pg_stat_database, beyond the sampler', { settings: { deadlock_timeout: '100ms' } }, (probed) => {
  it('tells a deadlock, a sort in a temporary file, and time idle in transactions', async () => {
    const database = await probed.database(table);
    const probe = await probed.open(pgStatDatabase.open);
    const { values } = await database.during(probe, async () => {
      const [one, other] = await Promise.all([database.client(), database.client()]);
      await deadlock(one, other);
      await one.query(`SET work_mem = '64kB'`);
      await one.query('SELECT * FROM t ORDER BY s, n DESC OFFSET 19999');
      await other.query('BEGIN');
      await sleep(300);
      await other.query('COMMIT');
      await database.end(one, other);
    });
    expect(values).toMatchObject({ deadlocks: 1, conflicts: 0, sessions_opened: 2, sessions_lost: 0 });
    expect(values.temp_files).toBeGreaterThanOrEqual(1);
    expect(values.temp_kb).toBeGreaterThan(1000);
    expect(values.rollback_share).toBeGreaterThan(0.1);
    const perTransaction = values.idle_in_transaction_ms_per_transaction ?? 0;
    expect(perTransaction).toBeGreaterThan(20);
    expect(values.active_ms_per_transaction).toBeGreaterThan(0);
  });

  it('is silent about a healthy service, and about other databases', async () => {
    const [database, other] = [await probed.database(table), await probed.database(table)];
    const probe = await probed.open(pgStatDatabase.open);
    const { values } = await database.during(probe, async () => {
      await deadlock(...((await Promise.all([other.client(), other.client()])) as [pg.Client, pg.Client]));
      const client = await database.client();
      for (let n = 0; n < 50; n++) await client.query('UPDATE t SET s = s WHERE n = $1', [n]);
      await database.end(client);
    });
    expect(values).toMatchObject({ deadlocks: 0, temp_files: 0, temp_kb: 0, rollback_share: 0 });
    expect(values.idle_in_transaction_ms_per_transaction).toBe(0);
  });

  it('a database that is not there: one warning, no reading', async () => {
    const probe = await probed.open(pgStatDatabase.open);
    const arm = { round: 1, slice: 0, arm: 'a', database: 'nowhere', url: '', pid: null, underLoad: () => true };
    expect(await (await probe.begin(arm)).end(wholeLoad())).toBeNull();
    expect(await (await probe.begin(arm)).end(wholeLoad())).toBeNull();
    expect(await (await probe.begin({ ...arm, database: null })).end(wholeLoad())).toBeNull();
    const cause = 'there is no database nowhere';
    expect(probed.warnings).toEqual([{ kind: 'probe-missed', probe: 'pg-stat-database', cause }]);
  });
});

describeProbed('postgres-io', {}, (probed) => {
  it('tells the WAL exactly, and a checkpoint', async () => {
    const database = await probed.database('CREATE TABLE t (s text)');
    await checkpoint(probed.server.postgres);
    await untilCheckpointerRests(probed.server.postgres);
    const probe = await probed.open(postgresIo.open);
    const { values, rows, loadMs } = await database.during(probe, async () => {
      const client = await database.client();
      await client.query(`INSERT INTO t SELECT repeat(md5(n::text), 30) FROM generate_series(1, 20000) n`);
      await database.end(client);
      await checkpoint(probed.server.postgres);
      await untilCheckpointerRests(probed.server.postgres);
    });
    const walKb = ((values.wal_kb_per_s ?? 0) * loadMs) / 1000;
    // 20,000 rows of 960 bytes are at least 18.7 MB of WAL.
    expect(walKb).toBeGreaterThan(18_750);
    expect(walKb).toBeLessThan(80_000);
    expect(values.checkpoints).toBe(1);
    expect(values.checkpoint_buffers).toBeGreaterThan(1000);
    const major = Number(probed.server.postgres.version.split('.')[0]);
    if (major >= 16)
      expect(rows).toContainEqual(expect.objectContaining({ where: 'client backend, relation, normal' }));
    else expect(rows).toEqual([]);
    expect(probed.warnings).toEqual([]);
  });

  it('is silent where nothing is written', async () => {
    const database = await probed.database();
    // Of a database that was dropped, or made.
    await untilCheckpointerRests(probed.server.postgres);
    const probe = await probed.open(postgresIo.open);
    const { values } = await database.during(probe, () => sleep(500));
    expect(values).toMatchObject({ checkpoints: 0, checkpoint_buffers: 0 });
    expect(values.wal_kb_per_s).toBeLessThan(50);
  });
});

describeProbed('table use', {}, (probed) => {
  const indexed = [
    table,
    'CREATE INDEX t_n ON t (n)',
    'CREATE INDEX t_s ON t (s)',
    'CREATE TABLE still (n int)',
    'VACUUM ANALYZE t',
  ];

  it('tells what a dropped index does, and which index nobody uses', async () => {
    const database = await probed.database(...indexed);
    const probe = await probed.open(tableUse.open);
    const lookups = async (): Promise<void> => {
      const client = await database.client();
      for (let n = 0; n < 40; n++) await client.query('SELECT s FROM t WHERE n = $1', [n]);
      await database.end(client);
    };
    const withIndex = await database.during(probe, lookups);
    expect(withIndex.values).toMatchObject({ seq_scan_share: 0, vacuums: 0 });
    expect(withIndex.rows).toEqual([
      expect.objectContaining({ table: 't', index: null, seq_scans: 0, index_scans: 40 }),
      expect.objectContaining({ table: 't', index: 't_n', index_scans: 40 }),
      expect.objectContaining({ table: 't', index: 't_s', index_scans: 0, kb: expect.any(Number) }),
    ]);

    await query(probed.server.postgres.adminUrl(database.arm.database ?? ''), 'DROP INDEX t_n');
    const without = await database.during(probe, lookups);
    expect(without.values).toMatchObject({ seq_scan_share: 1, seq_rows_per_seq_scan: 20_000 });
    expect(without.values.indexes_kb).toBeLessThan(withIndex.values.indexes_kb ?? 0);
    expect(without.rows?.map(({ index }) => index)).toEqual([null, 't_s']);
    expect(probed.warnings).toEqual([]);
  });

  it('tells updates that keep to their page, rows that wait for a vacuum, and a vacuum', async () => {
    const database = await probed.database(...indexed, 'ALTER TABLE t SET (fillfactor = 50)', 'VACUUM FULL t');
    const probe = await probed.open(tableUse.open);
    const { values, rows } = await database.during(probe, async () => {
      const client = await database.client();
      await client.query('UPDATE t SET s = s WHERE n <= 1000');
      await client.query(`UPDATE t SET s = 'other' WHERE n <= 1000`);
      await database.end(client);
    });
    expect(values.hot_update_share).toBe(0.5);
    expect(rows?.[0]).toMatchObject({ table: 't', updated: 2000, hot_updated: 1000, dead_rows: values.dead_rows });
    // Those of the first update may have been cleared from their pages by the second.
    expect(values.dead_rows).toBeGreaterThanOrEqual(1000);
    // Those that were there before wait still, whether others came or not.
    const idle = await database.during(probe, async () => {
      const client = await database.client();
      await client.query('SELECT s FROM t WHERE n = 20000');
      await database.end(client);
    });
    expect(idle.values.dead_rows).toBe(values.dead_rows);
    expect(idle.rows?.[0]).toMatchObject({ table: 't', updated: 0, dead_rows: values.dead_rows });
    const vacuumed = await database.during(probe, async () => {
      const client = await database.client();
      await client.query('VACUUM t');
      await database.end(client);
    });
    expect(vacuumed.values).toMatchObject({ vacuums: 1, dead_rows: 0 });
  });

  it('leaves next to no trace in the counters of the arm’s database, and no connection', async () => {
    const database = await probed.database(...indexed);
    const probe = await probed.open(tableUse.open);
    const read = async () => {
      const [row] = await query(
        probed.server.postgres.adminUrl(),
        `SELECT (xact_commit + xact_rollback)::int AS transactions, tup_returned::int AS returned, blks_hit::int AS hit,
           numbackends AS connections FROM pg_stat_database WHERE datname = $1`,
        [database.arm.database],
      );
      return row as Record<'transactions' | 'returned' | 'hit' | 'connections', number>;
    };
    const counters = async () => {
      await expect.poll(async () => (await read()).connections).toBe(0);
      await untilCountsAreRead(probed.server.postgres);
      return read();
    };
    const before = await counters();
    await database.during(probe, async () => {});
    const after = await counters();
    expect(after.transactions - before.transactions).toBeLessThanOrEqual(6);
    expect(after.returned - before.returned).toBeLessThan(100);
    expect(after.hit - before.hit).toBeLessThan(200);
  });
});
