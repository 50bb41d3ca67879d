import { describe, expect, it } from 'vitest';
import {
  housekeepingSettings,
  isWithoutAutovacuum,
  variedHousekeeping,
  workBetween,
  workShowing,
} from '../../../src/journal/postgres/housekeeping.ts';
import type { Treatment, Variant } from '../../../src/journal/scenario-record.ts';
import { settableNames } from '../../../src/measure/treatment/setting-names.ts';

const changed = (settings: Record<string, string>, sql: string[] = []): Pick<Variant, 'treatment'> => {
  const none = { dropIndex: [], createIndex: [], hideIndex: [] };
  const treatment: Treatment = { ...none, settings, sql: sql.map((apply) => ({ apply })) };
  return { treatment };
};

const variant = (name: string, settings: Record<string, string> = {}): Variant => ({
  name,
  factors: {},
  env: {},
  ...changed(settings),
});

describe('the settings of housekeeping', () => {
  it('are these, of all that Postgres has', () => {
    const found = settableNames().filter((name) => workShowing(name) !== null);
    expect(found.filter((name) => !/^(autovacuum|vacuum_|checkpoint_|bgwriter_)/.test(name)).sort()).toEqual([
      'full_page_writes',
      'max_wal_size',
      'min_wal_size',
      'wal_compression',
    ]);
    expect(workShowing('Autovacuum_Analyze_Threshold')).toBe('autoanalyzes');
    expect(workShowing('autovacuum_vacuum_scale_factor')).toBe('autovacuums');
    expect(workShowing('vacuum_cost_limit')).toBe('autovacuums');
    expect(workShowing('full_page_writes')).toBe('checkpoints');
    for (const other of ['shared_buffers', 'work_mem', 'log_checkpoints', 'wal_buffers', 'synchronous_commit'])
      expect(workShowing(other)).toBeNull();
  });

  it('are those of tables too', () => {
    const sql = [
      'ALTER TABLE a SET (Autovacuum_vacuum_scale_factor = 0.01, fillfactor = 70)',
      'SELECT autovacuum_count',
    ];
    const found = housekeepingSettings(changed({ WAL_compression: 'on', work_mem: '8MB' }, sql));
    expect([...found]).toEqual([
      ['wal_compression', 'on'],
      ['autovacuum_vacuum_scale_factor', '0.01'],
    ]);
  });

  it('matter to a comparison where its sides differ in them', () => {
    const both = { checkpoint_timeout: '30s' };
    expect(workBetween(changed(both), changed({ ...both, work_mem: '8MB' }))).toEqual([]);
    expect(workBetween(changed(both), changed({ checkpoint_timeout: '60s' }))).toEqual(['checkpoints']);
    expect(workBetween({}, changed({ autovacuum_naptime: '5s', max_wal_size: '64MB' }))).toEqual([
      'checkpoints',
      'autovacuums',
    ]);
    const table = (factor: number): string[] => [`ALTER TABLE a SET (autovacuum_analyze_scale_factor = ${factor})`];
    expect(workBetween(changed({}, table(0.1)), changed({}, table(0.2)))).toEqual(['autoanalyzes']);
  });

  it.each([
    [{ autovacuum: 'off' }, {}, true],
    [{ autovacuum: 'false' }, {}, true],
    [{ autovacuum: 'on' }, { AUTOVACUUM: 'off' }, false],
    [{}, { AUTOVACUUM: 'off' }, true],
    [{}, {}, false],
  ])('leave nothing to wait for where autovacuum is off: %j over %j', (own, shared, expected) => {
    expect(isWithoutAutovacuum(changed(own), { settings: shared })).toBe(expected);
  });
});

describe('how long slices must be', () => {
  const needs = (variants: Variant[], settings: Record<string, string> = {}): unknown =>
    variedHousekeeping({ variants, stack: { postgres: { settings } } })?.needs.map(({ leastSliceMs }) => leastSliceMs);

  it('goes by the arm that has the least of it', () => {
    expect(needs([variant('A'), variant('B', { work_mem: '8MB' })])).toBeUndefined();
    expect(needs([variant('A'), variant('B', { wal_compression: 'on' })])).toEqual([600_000]);
    expect(needs([variant('A'), variant('B', { wal_compression: 'on' })], { Checkpoint_Timeout: '30s' })).toEqual([
      60_000,
    ]);
    expect(needs([variant('A', { checkpoint_timeout: '60' }), variant('B', { checkpoint_timeout: '2min' })])).toEqual([
      240_000,
    ]);
    expect(needs([variant('A'), variant('B', { autovacuum_vacuum_cost_limit: '1000' })])).toEqual([120_000]);
  });
});
