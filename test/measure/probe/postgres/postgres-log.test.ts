import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import {
  createLogCounter,
  generalMessage,
  type LogOrigin,
  namedCounts,
} from '../../../../src/measure/probe/postgres/log-kinds.ts';
import { markLog } from '../../../../src/measure/probe/postgres/log-reader.ts';
import { logEnds, withLoggedErrors } from '../../../../src/measure/probe/postgres/logged-errors.ts';
import { postgresLog } from '../../../../src/measure/probe/postgres/postgres-log.ts';
import type { RunEvent } from '../../../../src/measure/run/events.ts';
import { warnOfDryPool } from '../../../../src/measure/run/round/dry-pool.ts';
import type { RunWarning } from '../../../../src/measure/run/warnings.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { describeProbed } from '../probed.ts';

describe('the kind of a message', () => {
  it.each([
    ['could not obtain lock on row in relation "documents2"', 'could not obtain lock on row in relation "documents2"'],
    ['column "pricee" of relation "items" does not exist', 'column "pricee" of relation "items" does not exist'],
    ['invalid input syntax for type integer: "abc 5"', 'invalid input syntax for type integer: "…"'],
    ['database "pgsweep_7_a" does not exist', 'database "…" does not exist'],
    [
      'duplicate key value violates unique constraint "a ""b"" 5"',
      'duplicate key value violates unique constraint "a ""b"" 5"',
    ],
    ["invalid input: 'x 5' at 12.5 of 0be6a1b2-0000-4000-8000-00000000000a", "invalid input: '…' at N of N"],
  ])('%s', (message, kind) => {
    expect(generalMessage(message)).toBe(kind);
  });

  function kindsOf(prefix: string, ...lines: string[]) {
    const counter = createLogCounter(prefix);
    for (const line of lines) counter.line(line);
    return counter.kinds();
  }

  it('is counted once for a message of many lines, and never for a statement that speaks of errors', () => {
    const message = 'could not obtain lock on row in relation "a"';
    const kinds = kindsOf(
      '%m [%p] ',
      '2026-01-31 10:00:00.000 UTC [123] ERROR:  could not obtain lock on row in relation "a"',
      '2026-01-31 10:00:00.000 UTC [123] STATEMENT:  SELECT 1 -- ERROR:  no',
      '\tERROR:  nor this',
      '2026-01-31 10:00:00.000 UTC [124] ERROR:  could not obtain lock on row in relation "a"',
      '2026-01-31 10:00:00.000 UTC [124] DETAIL:  WARNING:  no',
      '2026-01-31 10:00:00.000 UTC [125] WARNING:  there is already a transaction in progress',
      '2026-01-31 10:00:00.000 UTC [125] LOG:  checkpoint complete',
    );
    expect(kinds).toEqual([
      { severity: 'ERROR', sqlState: null, message, statement: 'SELECT N -- ERROR: no ERROR: nor this', count: 1 },
      { severity: 'ERROR', sqlState: null, message, count: 1 },
      { severity: 'WARNING', sqlState: null, message: 'there is already a transaction in progress', count: 1 },
    ]);
    expect(namedCounts(kinds)).toMatchObject({ log_lock_not_available: 2, log_transaction_open: 1, log_deadlocks: 0 });
  });

  it('is a transaction in progress by its message, since other messages have the same SQLSTATE', () => {
    const kinds = kindsOf(
      '%e ',
      '25001 WARNING:  there is already a transaction in progress',
      '25001 ERROR:  VACUUM cannot run inside a transaction block',
      '25P01 WARNING:  there is no transaction in progress',
      '25P01 WARNING:  SET LOCAL can only be used in transaction blocks',
    );
    expect(namedCounts(kinds)).toMatchObject({ log_transaction_open: 1, log_no_transaction: 1 });
  });

  it('has the statement of its own session, without its values', () => {
    const prefix = '2026-01-31 10:00:00.000 UTC';
    const kinds = kindsOf(
      '%m [%p] %d %e ',
      `${prefix} [7] one 40P01 ERROR:  deadlock detected`,
      `${prefix} [8] one 40001 ERROR:  could not serialize access due to concurrent update`,
      `${prefix} [7] one 40P01 DETAIL:  Process 7 waits for ShareLock on transaction 9; blocked by process 8.`,
      '\tProcess 8 waits for ShareLock on transaction 10; blocked by process 7.',
      `${prefix} [7] one 40P01 STATEMENT:  UPDATE "a 1"`,
      "\t  SET hits = hits + 1, name = 'it''s' WHERE id2 = $1",
      `${prefix} [8] one 40001 STATEMENT:  UPDATE b SET hits = 2`,
      `${prefix} [8] one 40001 ERROR:  could not serialize access due to concurrent update`,
      `${prefix} [8] one 40001 STATEMENT:  UPDATE b SET hits = 3`,
    );
    expect(kinds).toEqual([
      {
        severity: 'ERROR',
        sqlState: '40001',
        message: 'could not serialize access due to concurrent update',
        statement: 'UPDATE b SET hits = N',
        count: 2,
      },
      {
        severity: 'ERROR',
        sqlState: '40P01',
        message: 'deadlock detected',
        statement: `UPDATE "a 1" SET hits = hits + N, name = '…' WHERE id2 = $1`,
        count: 1,
      },
    ]);
  });

  it.each([
    ['%m [%p] %q%e ', '2026-01-31 10:00:00.000 UTC [12345] 40P01 ERROR:  Verklemmung entdeckt'],
    ['%e %-8u(%p):', '40P01 service (12345):ERROR:  Verklemmung entdeckt'],
  ])('has its SQLSTATE where the prefix %s has it, in whatever language', (prefix, line) => {
    const kinds = kindsOf(prefix, line);
    expect(kinds).toMatchObject([{ sqlState: '40P01', count: 1 }]);
    expect(namedCounts(kinds)).toMatchObject({ log_deadlocks: 1 });
  });

  it.each([
    [
      '%m [%p] %q%d ',
      '2026-01-31 12:00:00.250 EET [12] own ERROR:  x',
      { database: 'own', atMs: Date.UTC(2026, 0, 31, 10, 0, 0, 250) },
    ],
    ['%n %d ', '1769853600.250 [unknown] FATAL:  x', { database: null, atMs: 1769853600250 }],
    ['%t ', '2026-01-31 12:00:00 EET ERROR:  x', { database: null, atMs: null }],
  ])('where it comes from stands in the prefix %s', (prefix, line, origin) => {
    const origins: LogOrigin[] = [];
    const accepts = (one: LogOrigin): boolean => origins.push(one) < 0;
    const counter = createLogCounter(prefix, { accepts, zoneMs: 2 * 3600e3 });
    counter.line(line);
    expect(origins).toEqual([origin]);
    expect(counter.kinds()).toEqual([]);
  });

  it('beyond the first hundred is another’s', () => {
    const letters = Array.from({ length: 300 }, (_, n) => `${String.fromCharCode(97 + (n % 26))}${'x'.repeat(n)}`);
    const kinds = kindsOf('%m ', ...letters.map((message) => `now ERROR:  ${message.slice(0, 150)}`));
    expect(kinds).toHaveLength(101);
    expect(kinds[0]?.message).toBe('other');
  });
});

describe('what a log says from a moment on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-log-'));
  const file = join(folder, 'postgres.log');
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => writeFileSync(file, 'before\n'));

  async function linesSince(change: () => void): Promise<string[]> {
    const lines: string[] = [];
    const mark = await markLog(file);
    change();
    await mark.read((line) => lines.push(line));
    return lines;
  }

  it('is read in whole lines, long ones cut, characters of several bytes whole', async () => {
    const long = 'ü'.repeat(200_000);
    const lines = await linesSince(() => appendFileSync(file, `one\n${long}\nthree`));
    expect(lines.map((line) => line.length)).toEqual([3, 4096, 5]);
    expect(lines[1]).toBe('ü'.repeat(4096));
  });

  it('is read from the old file and the new one where it was rotated', async () => {
    const lines = await linesSince(() => {
      appendFileSync(file, 'last\n');
      renameSync(file, `${file}.1`);
      writeFileSync(file, 'first\n');
    });
    expect(lines).toEqual(['last', 'first']);
  });

  it('is read from its beginning where it was cut off', async () => {
    const lines = await linesSince(() => {
      truncateSync(file);
      appendFileSync(file, 'new\n');
    });
    expect(lines).toEqual(['new']);
  });
});

describeProbed('the Postgres log', { settings: { deadlock_timeout: '100ms' } }, (probed) => {
  it('tells locks that NOWAIT did not get, a deadlock, a lock timeout, and a transaction begun twice', async () => {
    const database = await probed.database('CREATE TABLE t AS SELECT n FROM generate_series(1, 3) n');
    const probe = await probed.open(postgresLog.open);
    const [one, other] = [await database.client(), await database.client()];
    const fails = (text: string) => expect(other.query(text)).rejects.toThrow();
    const { values, rows } = await database.during(probe, async () => {
      await one.query('BEGIN; SELECT * FROM t WHERE n = 1 FOR UPDATE');
      for (let n = 0; n < 5; n++) await fails('SELECT * FROM t WHERE n = 1 FOR UPDATE NOWAIT');
      await fails(`SET lock_timeout = '50ms'; SELECT * FROM t WHERE n = 1 FOR UPDATE`);
      await other.query('SET lock_timeout = 0');
      await one.query('BEGIN');
      await other.query('BEGIN; SELECT * FROM t WHERE n = 2 FOR UPDATE');
      await Promise.allSettled(
        [one, other].map((client, n) => client.query(`SELECT * FROM t WHERE n = ${2 - n} FOR UPDATE`)),
      );
      await Promise.all([one.query('ROLLBACK'), other.query('ROLLBACK')]);
    });
    expect(values).toMatchObject({
      log_errors: 7,
      log_warnings: 1,
      log_lock_not_available: 5,
      log_lock_timeouts: 1,
      log_deadlocks: 1,
      log_transaction_open: 1,
      log_serialization_failures: 0,
    });
    expect(rows?.[0]).toEqual({
      severity: 'ERROR',
      sqlstate: '55P03',
      message: 'could not obtain lock on row in relation "t"',
      statement: 'SELECT * FROM t WHERE n = N FOR UPDATE NOWAIT',
      count: 5,
    });
    expect(probed.warnings).toEqual([]);
  });

  it('is silent about a healthy service, and about what came before', async () => {
    const database = await probed.database();
    const probe = await probed.open(postgresLog.open);
    const client = await database.client();
    await expect(client.query('SELECT 1/0')).rejects.toThrow();
    const { values, rows } = await database.during(probe, async () => {
      await client.query('BEGIN; SELECT 1; COMMIT');
    });
    expect(Object.values(values).filter((count) => count > 0)).toEqual([]);
    expect(rows).toEqual([]);
  });

  it('is named with the error of a service, by database, and with no other error', async () => {
    const [database, other] = [await probed.database(), await probed.database()];
    const [client, elsewhere] = [await database.client(), await other.client()];
    for (let n = 0; n < 3; n++)
      await expect(client.query(`SELECT pricee FROM pg_class WHERE relpages = ${n}`)).rejects.toThrow();
    await expect(elsewhere.query('SELECT 1/0')).rejects.toThrow();
    const error = new PgsweepError('target', 'the service answered 500', { hint: 'Correct it.' });
    const servers = [probed.server.postgres];
    const said =
      'Postgres logged: 3 x column "pricee" does not exist (42703, in SELECT pricee FROM pg_class WHERE relpages = N).';
    const named = await withLoggedErrors(error, servers, { database: database.arm.database ?? '' });
    expect(named).toMatchObject({ code: 'target', message: `${error.message}\n${said}`, hint: 'Correct it.' });
    expect(await withLoggedErrors(named, servers)).toBe(named);
    expect(await withLoggedErrors(error, servers)).toMatchObject({
      message: expect.stringContaining('division by zero'),
    });
    expect(await withLoggedErrors(error, servers, { database: 'no_such_database' })).toBe(error);
    const which = { database: database.arm.database ?? '', readyAt: await logEnds(servers) };
    expect(await withLoggedErrors(error, servers, which)).toMatchObject({
      message: `${error.message}\nWhile the service started, ${said}`,
    });
    await expect(client.query('SELECT 1/0')).rejects.toThrow();
    expect(await withLoggedErrors(error, servers, which)).toMatchObject({
      message: `${error.message}\nPostgres logged: 1 x division by zero (22012, in SELECT N/N).`,
    });
    const full = new PgsweepError('disk', 'the disk is full');
    expect(await withLoggedErrors(full, servers)).toBe(full);
  });

  it('is absent where it cannot be read', async () => {
    const { postgres } = probed.server;
    expect(await postgresLog.open(probed.context({ postgres: { ...postgres, logFile: null } }))).toMatchObject({
      absent: "the server's log is not a file that pgsweep can read",
    });
    expect(
      await postgresLog.open(probed.context({ postgres: { ...postgres, logFile: '/no/such.log' } })),
    ).toMatchObject({
      absent: expect.stringMatching(/ENOENT/),
    });
  });

  describe('sessions of an arm whose requests time out', () => {
    const warnings: RunWarning[] = [];
    const context = () =>
      ({
        stack: { servers: { of: () => ({ postgres: probed.server.postgres }) } },
        watch: { dryArms: new Set() },
        io: { emit: (event: RunEvent) => event.kind === 'warning' && warnings.push(event.warning) },
      }) as unknown as Parameters<typeof warnOfDryPool>[0];

    it('are told once if all are idle, and not while one works or most requests are answered', async () => {
      const database = await probed.database();
      const arm = { arm: { name: 'pool=2', variant: {} }, database: database.arm.database ?? '', link: null } as never;
      const [one, other] = [await database.client(), await database.client()];
      await one.query('BEGIN');
      const seen = context();
      const url = probed.server.postgres.adminUrl();
      await warnOfDryPool(seen, arm, { timeouts: 0, statuses: {} });
      const works = other.query('SELECT pg_sleep(60)').catch(() => {});
      const active =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(60)'";
      await expect.poll(async () => (await query(url, active))[0]?.n).toBe(1);
      await warnOfDryPool(seen, arm, { timeouts: 5, statuses: {} });
      expect(warnings).toEqual([]);
      await query(url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'");
      await works;
      await warnOfDryPool(seen, arm, { timeouts: 1, statuses: { 200: 40, 500: 2 } });
      expect(warnings).toEqual([]);
      for (let time = 0; time < 2; time++) await warnOfDryPool(seen, arm, { timeouts: 5, statuses: { 200: 4 } });
      const dry = { kind: 'pool-is-dry', arm: 'pool=2', timeouts: 5, connections: 2, held: 1 } as const;
      expect(warnings.splice(0)).toEqual([dry]);
      const through = (waiting: number) =>
        ({
          arm: { name: 'pool=2', variant: { pooler: { mode: 'session' } } },
          database: database.arm.database ?? '',
          link: { pooler: { show: async () => [{ cl_waiting: 0 }, { cl_waiting: String(waiting) }] } },
        }) as never;
      for (const waiting of [0, 15]) await warnOfDryPool(context(), through(waiting), { timeouts: 5, statuses: {} });
      expect(warnings).toEqual([dry, { ...dry, pooler: { mode: 'session', waiting: 15 } }]);
    });
  });
});
