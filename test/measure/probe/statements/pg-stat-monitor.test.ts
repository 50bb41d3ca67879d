import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withSqlSession } from '../../../../src/measure/probe/postgres/sql-session.ts';
import { statementsBetween } from '../../../../src/measure/probe/statements/model.ts';
import {
  openMonitorViews,
  parseBounds,
  pgStatMonitor,
} from '../../../../src/measure/probe/statements/pg-stat-monitor.ts';
import { readingOf } from '../../../../src/measure/probe/statements/reading.ts';
import { withConnection } from '../../../../src/measure/stack/common/query.ts';
import { withPostgres } from '../../stack/postgres.ts';
import { recordings } from './monitor-recording.ts';
import { expectTruth } from './monitor-rows.ts';

describe('the classes of response times', () => {
  it.each([
    ['1.1.1, three to 100 ms', '(0 - 4)}, (4 - 21)}, (21 - 100)}', 0, ['0 - 4 ms', '4 - 21 ms', 'over 21 ms']],
    [
      '1.1.1, three from 10 to 100 ms',
      '(0 - 4)}, (4 - 20)}, (20 - 90)}',
      10,
      ['0 - 14 ms', '14 - 30 ms', 'over 30 ms'],
    ],
    [
      '2.3.2, two',
      '{{0.000 - 1.000}, (1.000 - 2.783}, (2.783 - ...}}',
      1,
      ['0 - 1 ms', '1 - 2.783 ms', 'over 2.783 ms'],
    ],
    ['2.x, cut off', '{{0.000 - 1.000}, (1.000 - 2.7', 1, ['0 - 1 ms']],
    ['none', '', 0, []],
  ])('of %s', (_name, timings, leastMs, bounds) => {
    expect(parseBounds(timings, leastMs)).toEqual(bounds);
  });
});

describe('pg_stat_monitor', () => {
  const server = withPostgres();

  it('stand on the page of probes with their versions', () => {
    const versions = readdirSync(recordings).map((file) => file.replace('.sql', ''));
    const named = /Recorded with\s+(.+) on Postgres 15\./.exec(readFileSync('docs/probes.md', 'utf8'))?.[1];
    expect(named).toBe(`${versions.slice(0, -1).join(', ')} and ${versions.at(-1)}`);
  });

  it.each(readdirSync(recordings))('as it was recorded in %s: what ran in a slice', async (file) => {
    const url = server.postgres.adminUrl();
    const schema = `monitor_${file.replace('.sql', '').replaceAll(/\W/g, '_')}`;
    await withConnection(url, async (run) => {
      await run(readFileSync(new URL(file, recordings), 'utf8'));
      // Shown as of a database of this server.
      const [isThere] = await run(
        `SELECT FROM pg_attribute WHERE attrelid = '${schema}.pg_stat_monitor'::regclass AND attname = 'dbid'`,
      );
      for (const table of ['before', 'after']) {
        await run(
          `UPDATE ${schema}.${table} SET datname = 'postgres' WHERE datname = (SELECT name FROM ${schema}.arm)`,
        );
        if (isThere === undefined) continue;
        await run(`UPDATE ${schema}.${table} SET dbid = (SELECT oid FROM pg_database WHERE datname = 'postgres')
                   WHERE dbid = (SELECT oid FROM ${schema}.arm)`);
      }
      const show = async (table: string): Promise<void> => {
        await run(`TRUNCATE ${schema}.pg_stat_monitor`);
        await run(`INSERT INTO ${schema}.pg_stat_monitor SELECT * FROM ${schema}.${table}`);
      };
      await withSqlSession(url, async (session) => {
        const source = await openMonitorViews(session, schema);
        await show('before');
        const before = await source.read('postgres');
        await show('after');
        const slice = statementsBetween(before, await source.read('postgres'));
        const ids = [...slice.statements, ...slice.errors].map(({ id }) => id);
        const planIds = slice.statements.flatMap((use) => use.planIds);
        const { rows = [] } = readingOf(slice, await source.texts('postgres', [...ids, ...planIds]), source);
        expectTruth(rows, { release: file, utilityApart: true });
      });
      await run(`DROP SCHEMA ${schema} CASCADE`);
    });
  });

  it('is absent where the server has none', async () => {
    const context = { postgres: server.postgres, generatorPid: 0, samplesFolder: '/no/such', onWarning: () => {} };
    expect(await pgStatMonitor.open(context)).toEqual({
      name: 'pg-stat-monitor',
      absent: 'this server has no extension pg_stat_monitor to offer',
    });
  });
});
