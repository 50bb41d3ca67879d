import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { CountersRecord, SliceRecord } from '../../../../src/journal/records.ts';
import {
  type CountersReader,
  countersBetween,
  openCountersReader,
  SETTLE_MS,
} from '../../../../src/measure/probe/meter/database-counters.ts';
import { createDatabaseSampler } from '../../../../src/measure/probe/meter/database-sampler.ts';
import { createSliceCounters } from '../../../../src/measure/probe/meter/slice-counters.ts';
import { withSqlSession } from '../../../../src/measure/probe/postgres/sql-session.ts';
import type { ProbeWarning } from '../../../../src/measure/probe/probe-warning.ts';
import { createDatabase } from '../../../../src/measure/stack/common/databases.ts';
import { withPostgres } from '../../stack/postgres.ts';

const server = withPostgres();
let reader: CountersReader;
let folder: string;

beforeAll(async () => {
  reader = await openCountersReader(server.postgres.adminUrl());
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-probe-'));
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

/** Only what the tracker reads of a slice. */
const slice = (number: number): SliceRecord => ({ round: 1, slice: number, arm: 'a', loadMs: 1000 }) as SliceRecord;

/** A pool as a service has one: its connections stay open and idle after the load. */
async function poolFor(database: string): Promise<pg.Pool> {
  await createDatabase(server.postgres, database);
  const pool = new pg.Pool({ connectionString: server.postgres.adminUrl(database), max: 4, idleTimeoutMillis: 0 });
  pool.on('error', () => {});
  await pool.query('CREATE TABLE t (n int)');
  return pool;
}

async function write(pool: pg.Pool, transactions: number): Promise<void> {
  await Promise.all(Array.from({ length: transactions }, (_, n) => pool.query('INSERT INTO t VALUES ($1)', [n])));
}

it('temporary files are told by database', async () => {
  const [sorts, spared] = [await poolFor('sorts'), await poolFor('spared')];
  const databases = ['sorts', 'spared'];
  const before = await reader.read(databases);
  for (const [pool, memory] of [
    [sorts, '64kB'],
    [spared, '64MB'],
  ] as const) {
    const client = await pool.connect();
    await client.query(`SET work_mem = '${memory}'`);
    await client.query('SELECT n FROM generate_series(1, 50000) AS n ORDER BY md5(n::text)');
    client.release();
    // A session that ends reports what is left.
    await pool.end();
  }
  const bytes = async (database: string): Promise<number> => {
    const from = before.get(database);
    const to = (await reader.read(databases)).get(database);
    return from === undefined || to === undefined ? Number.NaN : (countersBetween(from, to).temp_bytes ?? Number.NaN);
  };
  await expect.poll(() => bytes('sorts')).toBeGreaterThan(500_000);
  expect(await bytes('spared')).toBe(0);
});

it('a step of the server back in time is seen between two readings', async () => {
  await (await poolFor('stepped')).end();
  const own = await openCountersReader(server.postgres.adminUrl());
  await own.read(['stepped']);
  expect(await own.clockSet(['stepped'], 0)).toEqual(new Set());
  const { nowMs } = systemClock;
  // Seen from the server, a minute that did not pass there.
  vi.spyOn(systemClock, 'nowMs').mockImplementation(() => nowMs() + 60_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await own.read(['stepped']);
  expect(await own.clockSet(['stepped'], systemClock.nowMs())).toEqual(new Set(['stepped']));
  await own.close();
});

describe('the counters of a slice', () => {
  it('have none of a session that touches no table until that ends, since Postgres 15', async (context) => {
    if (Number.parseInt(server.postgres.version, 10) < 15) context.skip();
    await createDatabase(server.postgres, 'tableless');
    const commits = async (): Promise<number> => (await reader.read(['tableless'])).get('tableless')?.xact_commit ?? 0;
    const client = new pg.Client({ connectionString: server.postgres.adminUrl('tableless') });
    await client.connect();
    // The tables of the catalog, which its first statements read, are reported a second later.
    await client.query('SELECT pg_sleep(0.04)');
    await sleep(1100);
    await client.query('SELECT pg_sleep(0.04)');
    const before = await commits();
    for (let n = 0; n < 30; n++) await client.query('SELECT pg_sleep(0.04)');
    expect(await commits()).toBe(before);
    await client.end();
    await expect.poll(commits).toBeGreaterThanOrEqual(before + 30);
  });

  it('have nothing of what the bench itself does in the database', async () => {
    await (await poolFor('own')).end();
    const records: CountersRecord[] = [];
    const write_ = (record: CountersRecord): void => void records.push(record);
    const counters = createSliceCounters({ reader, clock: systemClock, settleMs: 0, write: write_ });
    const url = server.postgres.adminUrl('own');
    const look = () => withSqlSession(url, (session) => session.rows('SELECT count(*) FROM pg_stat_user_tables'));
    await counters.ownWork(['own'], [], look);
    await counters.beforeLoad('own', () => {});
    await counters.ownWork(['own'], [], look);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (let n = 0; n < 20; n++) await client.query('INSERT INTO t VALUES ($1)', [n]);
    counters.afterSlice('own', slice(0), systemClock.nowMs());
    await counters.ownWork(['own'], [systemClock.nowMs()], look);
    await client.end();
    await counters.afterStop('own');
    // A session's start is a transaction.
    expect(records).toMatchObject([{ delta: { xact_commit: 21, tup_inserted: 20 } }]);
  });

  it('are complete although the connections stay open: each slice gets all of its own work, and none of the next', async () => {
    const pool = await poolFor('idle');
    const records: CountersRecord[] = [];
    const write_ = (record: CountersRecord): void => void records.push(record);
    const counters = createSliceCounters({ reader, clock: systemClock, settleMs: SETTLE_MS, write: write_ });
    let waitedMs = 0;
    const onWait = (forMs: number): void => {
      waitedMs += forMs;
    };
    // The first connections, each a transaction of its own, are warm-up: nobody's slice.
    await write(pool, 50);
    counters.afterUncounted('idle', systemClock.nowMs());
    await counters.beforeLoad('idle', onWait);
    await write(pool, 500);
    counters.afterSlice('idle', slice(0), systemClock.nowMs());
    await counters.beforeLoad('idle', onWait);
    await write(pool, 300);
    counters.afterSlice('idle', slice(1), systemClock.nowMs());
    await pool.end();
    await counters.afterStop('idle');

    expect(
      records.map(({ slice, complete, delta }) => [slice, complete, delta.tup_inserted, delta.xact_commit]),
    ).toEqual([
      [0, 'idle', 500, 500],
      [1, 'closed', 300, 300],
    ]);
    expect(waitedMs).toBeGreaterThan(SETTLE_MS);
  });

  it('that can never be complete, since somebody holds a connection, are not reported', async () => {
    const pool = await poolFor('held');
    const records: CountersRecord[] = [];
    const counters = createSliceCounters({
      reader,
      clock: systemClock,
      settleMs: 0,
      write: (record) => records.push(record),
    });
    await counters.beforeLoad('held', () => {});
    await write(pool, 10);
    counters.afterSlice('held', slice(0), systemClock.nowMs());
    await counters.afterStop('held');
    expect(records).toEqual([]);
    await pool.end();
  });
});

describe('the sampler', () => {
  it('writes a row per arm and interval, marked with the slice under load, and no more after the end', async () => {
    const pool = await poolFor('sampled');
    const file = join(folder, 'samples.csv');
    const warnings: ProbeWarning[] = [];
    let nowMs = 1000;
    const sampler = createDatabaseSampler({
      file,
      nowMs: () => nowMs,
      intervalMs: 100,
      reader,
      onWarning: (warning) => warnings.push(warning),
    });
    sampler.start(1, [
      { arm: 'pool=10', database: 'sampled' },
      { arm: 'gone', database: 'nowhere' },
    ]);
    const lineCount = (): number => readFileSync(file, 'utf8').split('\n').length;
    /** One that has begun before now may be the next. */
    const twoRows = async (): Promise<void> => {
      const before = lineCount();
      await vi.waitFor(() => expect(lineCount()).toBeGreaterThan(before + 1), 60_000);
    };
    await vi.waitFor(() => expect(lineCount()).toBeGreaterThan(2), 60_000);
    await twoRows();
    const turn = { slice: 4, arm: 'pool=10', sampledAs: 'pool=10' };
    sampler.mark(turn);
    await write(pool, 50);
    sampler.addLoad('pool=10', 1200);
    // Of a turn that lasts longer than a row, each row has its part.
    sampler.mark(turn);
    await twoRows();
    nowMs += 5000;
    await twoRows();
    nowMs += 3000;
    sampler.addLoad('pool=10', 7834);
    nowMs += 60_000;
    await twoRows();
    await sampler.stop();
    await sampler.close();
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const [header, ...rows] = lines;
    expect(header?.slice(0, 7)).toEqual(['at', 'round', 'arm', 'slice', 'slice_arm', 'load_s', 'xact_commit']);
    expect(rows.length).toBeGreaterThanOrEqual(6);
    expect(rows.every((row) => row[1] === '1' && row[2] === 'pool=10' && row.length === header?.length)).toBe(true);
    expect(rows[0]?.[3]).toBe('');
    expect(rows.at(-1)?.slice(3, 5)).toEqual(['4', 'pool=10']);
    // Each part in one row, and in no other.
    expect(rows.map((row) => row[5]).filter((load) => load !== '0')).toEqual(['1.2', '5', '2.834']);
    expect(warnings).toEqual([]);
    await sleep(250);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(lines.length);

    const again = createDatabaseSampler({ file, intervalMs: 1000, reader, onWarning: () => {} });
    again.start(2, [{ arm: 'pool=10', database: 'sampled' }]);
    await again.stop();
    await again.close();
    const resumed = readFileSync(file, 'utf8').trim().split('\n');
    expect(resumed.filter((line) => line.startsWith('at,'))).toHaveLength(1);
    expect(resumed.length).toBeGreaterThan(lines.length);
    await pool.end();
  });
});
