import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withSqlSession } from '../../../src/probe/sql-session.ts';
import { readingOf, statementsBetween } from '../../../src/probe/statements/model.ts';
import { openMonitorViews, parseBounds } from '../../../src/probe/statements/pg-stat-monitor.ts';
import { openMonitorProbe } from '../../../src/probe/statements/probe.ts';
import { withPostgres } from '../../stack/postgres.ts';

const fixture = readFileSync(new URL('../../fixtures/pg-stat-monitor.sql', import.meta.url), 'utf8');

/** What versions call the columns that the lines below fill. */
const names = {
  monitor_1: { time: 'total_time', rows: 'rows_retrieved', plans: 'plans_calls' },
  monitor_2_0: { time: 'total_exec_time', rows: 'rows_retrieved', plans: 'plans_calls' },
  monitor_2_1: { time: 'total_exec_time', rows: 'rows', plans: 'plans' },
} as const;

describe('the classes of response times', () => {
  it.each([
    ['(0 - 3)}, (3 - 10)}, (10 - ...)}', ['0 - 3 ms', '3 - 10 ms', 'over 10 ms']],
    ['{{0.000 - 1.000}, (1.000 - 2.783}, (2.783 - ...}}', ['0 - 1 ms', '1 - 2.783 ms', 'over 2.783 ms']],
    ['', []],
  ])('of %s', (timings, bounds) => {
    expect(parseBounds(timings)).toEqual(bounds);
  });
});

describe('pg_stat_monitor', () => {
  const server = withPostgres();
  let client: pg.Client;

  beforeEach(async () => {
    client = new pg.Client({ connectionString: server.postgres.adminUrl() });
    await client.connect();
    await client.query(fixture);
  });
  afterEach(async () => {
    for (const schema of Object.keys(names)) await client.query(`DROP SCHEMA ${schema} CASCADE`);
    await client.end();
  });

  interface Line {
    readonly bucket?: number;
    readonly id: string;
    readonly plan?: string;
    readonly calls: number;
    readonly ms: number;
    readonly histogram?: readonly number[];
    readonly error?: readonly [number, string, string];
    readonly database?: string;
  }

  /** Shows these lines, in place of those that were there. */
  async function show(schema: keyof typeof names, lines: readonly Line[]): Promise<void> {
    const { time, rows, plans } = names[schema];
    await client.query(`TRUNCATE ${schema}.pg_stat_monitor`);
    for (const {
      bucket = 1,
      id,
      plan = null,
      calls,
      ms,
      histogram = [calls, 0, 0, 0],
      error,
      database = 'arm',
    } of lines) {
      const [level = 0, state = '', message = ''] = error ?? [];
      const start = `2026-01-31 10:0${bucket}:00+00`;
      // Literals without a type, since the same column has another one in another version.
      const literals = [bucket, start, database, id, `SELECT * FROM t WHERE n = ${id}`, calls, ms, calls, calls]
        .concat([10 * calls, 0, 100 * calls, `{${histogram.join()}}`, level, state, message])
        .map((value) => `'${value}'`);
      await client.query(
        `INSERT INTO ${schema}.pg_stat_monitor (bucket, bucket_start_time, datname, queryid, query, calls, ${time}, ${rows},
           ${plans}, shared_blks_hit, shared_blks_read, wal_bytes, resp_calls, elevel, sqlcode, message, planid)
         VALUES (${literals.join()}, ${plan})`,
      );
    }
  }

  it.each(Object.keys(names) as (keyof typeof names)[])(
    '%s: what ran in a slice, over the buckets it touches',
    async (schema) => {
      await withSqlSession(server.postgres.adminUrl(), async (session) => {
        const source = await openMonitorViews(session, schema);
        await show(schema, [
          { id: '7', calls: 100, ms: 50, histogram: [90, 10, 0, 0] },
          { id: '9', calls: 5, ms: 5 },
          { bucket: 0, id: '7', calls: 1000, ms: 500 },
        ]);
        const before = await source.read('arm');
        await show(schema, [
          // Bucket 0 has been overwritten by bucket 10; bucket 1 went on, bucket 2 is new.
          { id: '7', calls: 130, ms: 80, histogram: [110, 20, 0, 0], plan: '1' },
          { id: '9', calls: 5, ms: 5 },
          { bucket: 2, id: '7', calls: 20, ms: 40, histogram: [10, 5, 0, 5], plan: '2' },
          { bucket: 2, id: '8', calls: 2, ms: 200, histogram: [0, 0, 0, 2] },
          { bucket: 2, id: '8', calls: 3, ms: 0, error: [20, '55P03', 'could not obtain lock on row'] },
          { bucket: 2, id: '8', calls: 400, ms: 900, database: 'another arm' },
        ]);
        const slice = statementsBetween(before, await source.read('arm'));
        const texts = await source.texts('arm', ['7', '8']);
        const { values, rows } = readingOf(slice, texts, source.histogramBounds);
        // The line of statement 7 with a plan is another than the one without, so it counts whole: 130 + 20.
        expect(values).toMatchObject({
          statements: 2,
          statement_calls: 152,
          statement_total_ms: 320,
          statement_errors: 3,
        });
        expect(values.top_statement_share).toBeCloseTo(200 / 320, 3);
        expect(rows).toEqual([
          expect.objectContaining({ statement: 'SELECT * FROM t WHERE n = 8', calls: 2, mean_ms: 100, blocks_hit: 20 }),
          expect.objectContaining({
            statement: 'SELECT * FROM t WHERE n = 7',
            queryid: '7',
            calls: 150,
            total_ms: 120,
            rows: 150,
            wal_bytes: 15_000,
            different_plans: 2,
            response_times: expect.stringMatching(/^0 - 3 ms: 120, 3 - 10 ms: 25, (31 - 100|over 31(.623)?) ms: 5$/),
          }),
          {
            statement: 'SELECT * FROM t WHERE n = 8',
            queryid: '8',
            calls: 3,
            sqlstate: '55P03',
            message: 'could not obtain lock on row',
          },
        ]);
      });
    },
  );

  it('a line that goes on is counted from where it stood; one that was reset, from its beginning', async () => {
    await withSqlSession(server.postgres.adminUrl(), async (session) => {
      const source = await openMonitorViews(session, 'monitor_2_1');
      await show('monitor_2_1', [
        { id: '7', calls: 100, ms: 50, histogram: [90, 10, 0, 0] },
        { id: '9', calls: 100, ms: 50 },
      ]);
      const before = await source.read('arm');
      await show('monitor_2_1', [
        { id: '7', calls: 130, ms: 80, histogram: [110, 20, 0, 0] },
        { id: '9', calls: 4, ms: 2 },
      ]);
      const { statements } = statementsBetween(before, await source.read('arm'));
      expect(statements.map(({ id, counts, histogram }) => [id, counts.calls, counts.total_ms, histogram])).toEqual([
        ['7', 30, 30, [20, 10, 0, 0]],
        ['9', 4, 2, [4, 0, 0, 0]],
      ]);
    });
  });

  it('is absent where the server has none', async () => {
    const context = { postgres: server.postgres, generatorPid: 0, samplesFolder: '/no/such', onWarning: () => {} };
    expect(await openMonitorProbe(context)).toEqual({
      name: 'pg-stat-monitor',
      absent: 'this server has no extension pg_stat_monitor to offer',
    });
  });
});
