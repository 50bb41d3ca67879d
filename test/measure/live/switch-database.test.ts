import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveSwitch } from '../../../src/journal/live-switch.ts';
import { switchDatabase } from '../../../src/measure/live/switch-database.ts';
import { copyDatabase, copySettings } from '../../../src/measure/stack/common/databases.ts';
import { query, withConnection } from '../../../src/measure/stack/common/query.ts';
import { isReloaded } from '../../../src/measure/treatment/setting-names.ts';
import type { TreatedDatabase } from '../../../src/measure/treatment/sql.ts';
import { withPostgres } from '../stack/postgres.ts';
import { itemsDatabase } from '../treatment/treated-database.ts';

const server = withPostgres();

const pools: pg.Pool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

/** A pool of one session, as a service has it: it opens another where that is closed. */
function service(database: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server.postgres.adminUrl(database), max: 1 });
  pool.on('error', () => {});
  pools.push(pool);
  return pool;
}

const to = (live: Partial<LiveSwitch>): LiveSwitch => ({
  settings: [],
  indexes: [],
  sql: [],
  reconnect: true,
  requests: [],
  checks: [],
  ...live,
});

describe('a database that a service is using', () => {
  it('is switched to a setting in sessions that are all younger than the switch', async () => {
    const database = await itemsDatabase(server, 'live_setting');
    const pool = service('live_setting');
    const ask = async () =>
      (await pool.query(`SELECT pg_backend_pid() AS pid, current_setting('work_mem') AS mem`)).rows[0];
    const before = await ask();
    const set = (value: string | null) =>
      switchDatabase(database, to({ settings: [{ name: 'work_mem', value, place: 'database' }] }), true);
    expect(await set('2048kB')).toEqual([{ kind: 'setting', name: 'work_mem', found: 'work_mem = 2MB (database)' }]);
    const after = await ask();
    expect(after.mem).toBe('2MB');
    expect(after.pid).not.toBe(before.pid);
    expect(await set(null)).toMatchObject([{ found: `work_mem = ${before.mem} (database)` }]);
    expect((await ask()).mem).toBe(before.mem);
  });

  it('is switched back to the setting that its data set has made, also that of a role', async () => {
    const template = await itemsDatabase(server, 'live_template');
    await template.run(`
      ALTER DATABASE live_template SET work_mem = '7MB';
      ALTER DATABASE live_template SET jit = off;
      ALTER ROLE current_user IN DATABASE live_template SET lock_timeout = '7s'`);
    await copyDatabase(server.postgres, { template: 'live_template', name: 'live_copy' });
    const url = server.postgres.adminUrl('live_copy');
    const copy: TreatedDatabase = {
      name: 'live_copy',
      role: null,
      connect: (use) => withConnection(url, use),
      restore: (run, name) => copySettings(run, 'live_template', 'live_copy', name),
    };
    const set = (values: Record<string, string | null>) => {
      const settings = Object.entries(values).map(([name, value]) => ({ name, value, place: 'database' as const }));
      return switchDatabase(copy, to({ settings }), true);
    };
    const shown = () =>
      query(url, `SELECT current_setting('work_mem') AS mem, current_setting('lock_timeout') AS lock`);
    await set({ work_mem: '2MB', lock_timeout: '2s', jit: 'on' });
    expect(await shown()).toEqual([{ mem: '2MB', lock: '2s' }]);
    expect(await set({ work_mem: null, lock_timeout: null, jit: 'on' })).toMatchObject([
      { found: 'work_mem = 7MB (database)' },
      { found: 'lock_timeout = 7s (database)' },
      { found: 'jit = on (database)' },
    ]);
    expect(await shown()).toEqual([{ mem: '7MB', lock: '7s' }]);
  });

  it('is switched to a setting that the server loads again, on a server of the bench alone', async () => {
    const database = await itemsDatabase(server, 'live_reload');
    const pool = service('live_reload');
    const shown = async () => (await pool.query('SHOW wal_writer_delay')).rows[0].wal_writer_delay;
    const before = await shown();
    const wanted = (value: string | null) => to({ settings: [{ name: 'wal_writer_delay', value, place: 'server' }] });
    expect(isReloaded('wal_writer_delay')).toBe(true);
    expect(await switchDatabase(database, wanted('321ms'), true)).toMatchObject([
      { found: 'wal_writer_delay = 321ms (server)' },
    ]);
    expect(await shown()).toBe('321ms');
    await switchDatabase(database, wanted(null), true);
    expect(await shown()).toBe(before);
    await expect(switchDatabase(database, wanted('1s'), false)).rejects.toThrow(
      /cannot be switched live: .*not the bench's/,
    );
    expect(await shown()).toBe(before);
  });

  it('hides an index from statements that were prepared with it, and shows it again, kept up meanwhile', async () => {
    const database = await itemsDatabase(server, 'live_index');
    const pool = new pg.Pool({
      connectionString: server.postgres.adminUrl('live_index'),
      max: 1,
      options: '-c enable_seqscan=off',
    });
    pool.on('error', () => {});
    pools.push(pool);
    await pool.query('SELECT');
    const scans = async (): Promise<number> => {
      for (let i = 0; i < 8; i++)
        await pool.query({ name: 'by_size', text: 'SELECT FROM items WHERE size = $1', values: [7] });
      await pool.query('SELECT pg_stat_force_next_flush()').catch(() => {});
      const { rows } = await pool.query(
        `SELECT idx_scan::int AS n FROM pg_stat_user_indexes WHERE indexrelname = 'ix_items_size'`,
      );
      return rows[0].n;
    };
    const first = await scans();
    expect(first).toBeGreaterThan(0);
    const hide = (hidden: boolean) =>
      switchDatabase(database, to({ indexes: [{ name: 'ix_items_size', hidden }] }), true);
    expect(await hide(true)).toMatchObject([
      { kind: 'hideIndex', found: expect.stringMatching(/^ix_items_size hidden \(/) },
    ]);
    await pool.query(`INSERT INTO items VALUES (9999, 'late', 777)`);
    const hidden = await scans();
    expect(await scans()).toBe(hidden);
    expect(await hide(false)).toMatchObject([{ found: expect.stringMatching(/^ix_items_size shown \(/) }]);
    expect(await scans()).toBeGreaterThan(hidden);
    const { rows } = await pool.query('SELECT id::int FROM items WHERE size = 777');
    expect(rows).toEqual([{ id: 9999 }]);
    await expect(
      switchDatabase(database, to({ indexes: [{ name: 'ix_items_sise', hidden: true }] }), true),
    ).rejects.toThrow(/there is no index ix_items_sise .*did you mean ix_items_size/);
  });

  it('runs SQL, and is not switched where a query does not find what it should', async () => {
    const database = await itemsDatabase(server, 'live_sql');
    const check = (expect: number) =>
      ({ kind: 'sql', sql: 'SELECT count(*) FROM items WHERE size = -1', expect }) as const;
    const change = { sql: ['UPDATE items SET size = -1 WHERE id <= 3'], reconnect: false };
    expect(await switchDatabase(database, to({ ...change, checks: [check(3)] }), true)).toMatchObject([
      { kind: 'sql' },
    ]);
    await expect(switchDatabase(database, to({ ...change, checks: [check(4)] }), true)).rejects.toThrow(
      /found 3: expected 4/,
    );
    await expect(switchDatabase(database, to({ sql: ['nonsense'] }), true)).rejects.toThrow(
      /Postgres refuses nonsense/,
    );
  });
});

describe('the list of settings that a reload sets', () => {
  it('has only such that this server loads again', async () => {
    const rows = await query(server.postgres.adminUrl(), 'SELECT name, context FROM pg_settings');
    const wrong = rows.filter(({ name, context }) => isReloaded(String(name)) && context !== 'sighup');
    expect(wrong).toEqual([]);
    expect(rows.filter(({ name }) => isReloaded(String(name))).length).toBeGreaterThan(50);
  });
});
