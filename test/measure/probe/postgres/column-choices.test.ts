import { describe, expect, it } from 'vitest';
import { ratio } from '../../../../src/measure/probe/counters.ts';
import {
  chooseColumn,
  countsBetween,
  known,
  type SqlTable,
  selectList,
} from '../../../../src/measure/probe/postgres/column-choices.ts';
import { databaseEvents } from '../../../../src/measure/probe/postgres/pg-stat-database.ts';
import { ioCounters, serverViews, viewCounters } from '../../../../src/measure/probe/postgres/postgres-io.ts';
import { indexCounters, tableCounters } from '../../../../src/measure/probe/postgres/table-use.ts';
import { statementCounters } from '../../../../src/measure/probe/statements/model.ts';
import recorded from '../../../fixtures/postgres-columns.json' with { type: 'json' };

type Version = keyof typeof recorded;
const versions = Object.keys(recorded) as Version[];

function columnsIn(version: Version, views: readonly string[]): Set<string> {
  const catalog: Readonly<Record<string, string>> = recorded[version];
  return new Set(views.flatMap((view) => catalog[view]?.split(' ') ?? []));
}

/** What each metric of a view is read from in a version; those that have no column are left out. */
function chosen(version: Version, table: SqlTable, ...views: string[]): Record<string, string> {
  const columns = columnsIn(version, views);
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { from }]) => {
      const choice = chooseColumn(from, columns);
      return choice === null ? [] : [[name, choice]];
    }),
  );
}

function missing(version: Version, table: SqlTable, ...views: string[]): string[] {
  const found = chosen(version, table, ...views);
  return Object.keys(table).filter((name) => !(name in found));
}

describe('what a metric is read from', () => {
  it.each(versions)('Postgres %s: tables, indexes and statements are told whole', (version) => {
    expect(missing(version, tableCounters, 'pg_stat_user_tables')).toEqual([]);
    expect(missing(version, indexCounters, 'pg_stat_user_indexes')).toEqual([]);
    expect(missing(version, statementCounters, 'pg_stat_statements')).toEqual([]);
  });

  it.each([
    ['13', ['sessions_opened', 'sessions_lost', 'active_ms_per_transaction', 'idle_in_transaction_ms_per_transaction']],
    ['14', []],
    ['18', []],
  ] as const)('Postgres %s: of the database all but %j', (version, without) => {
    expect(missing(version, databaseEvents, 'pg_stat_database')).toEqual(without);
  });

  it.each([
    [
      '13',
      'checkpoints_timed + checkpoints_req',
      'buffers_checkpoint',
      ['wal_records', 'wal_full_page_share', 'wal_buffers_full'],
    ],
    ['14', 'checkpoints_timed + checkpoints_req', 'buffers_checkpoint', []],
    ['16', 'checkpoints_timed + checkpoints_req', 'buffers_checkpoint', []],
    ['17', 'num_timed + num_requested', 'buffers_written', ['backend_buffers']],
    ['18', 'num_done', 'buffers_written', ['backend_buffers']],
  ] as const)(
    'Postgres %s: checkpoints from %s, their buffers from %s, all but %j',
    (version, from, buffers, without) => {
      const choice = chosen(version, viewCounters, ...serverViews);
      expect(choice).toMatchObject({ checkpoints: from, checkpoint_buffers: buffers });
      expect(missing(version, viewCounters, ...serverViews)).toEqual(without);
    },
  );

  it('pg_stat_io: bytes by what an operation had until 17, counted from 18 on', () => {
    expect(chosen('16', ioCounters, 'pg_stat_io').read_kb).toBe('reads * op_bytes / 1024');
    expect(chosen('18', ioCounters, 'pg_stat_io').read_kb).toBe('read_bytes / 1024');
    expect(chosen('15', ioCounters, 'pg_stat_io')).toEqual({});
  });

  it('one column name is never read from two views at once', () => {
    for (const version of versions) {
      const catalog: Readonly<Record<string, string>> = recorded[version];
      const all = serverViews.flatMap((view) => catalog[view]?.split(' ') ?? []);
      const used = Object.values(chosen(version, viewCounters, ...serverViews)).flatMap((choice) =>
        choice.split(' + '),
      );
      for (const column of used) expect(all.filter((name) => name === column)).toHaveLength(1);
    }
  });
});

describe('counts', () => {
  it('differ, are null where one is not known, and begin anew after a reset', () => {
    expect(countsBetween({ a: 5, b: null, c: 100 }, { a: 8, b: 4, c: 3 })).toEqual({ a: 3, b: null, c: 3 });
  });

  it('make no ratio of nothing, and no value of what is not known', () => {
    expect([ratio(1, 4), ratio(1, 0), ratio(null, 4), ratio(1, undefined)]).toEqual([0.25, null, null, null]);
    expect(known({ a: 1 / 3, b: null, c: undefined, d: Number.NaN })).toEqual({ a: 0.3333 });
  });

  it('are selected as numbers, those that are not there as NULL', () => {
    expect(selectList({ a: { from: ['x + y', 'z'] }, b: { from: ['w'] } }, new Set(['z']))).toBe(
      '(z)::float8 AS a, (NULL)::float8 AS b',
    );
  });
});
