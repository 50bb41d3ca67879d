import { describe, expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { monitorTables } from '../../../src/report/tables/statements-table.ts';
import type { Table } from '../../../src/report/tables/table.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';

const load = { connections: 25 };
const textsOf = (table: Table | undefined): string[][] => table?.rows.map((row) => row.map(({ text }) => text)) ?? [];

const told: FixtureOptions = {
  variants: ['a', 'b'],
  control: 'a',
  connections: [25],
  rounds: 4,
  probes: () => ({ 'pg-stat-monitor': { statement_calls: 100 } }),
  probeRows: ({ variant }) => ({
    'pg-stat-monitor': [
      {
        statement: 'SELECT 1',
        calls: 10,
        total_ms: 5,
        response_times: variant === 'a' ? '0 - 1 ms: 9, over 100 ms: 1' : '10 - 100 ms: 10',
        plan: 'Index Scan on t',
      },
      { statement: 'COMMIT', calls: 3, total_ms: 1, response_times: '' },
      { statement: 'INSERT', calls: variant === 'b' ? null : 2, sqlstate: '23505', message: 'duplicate key' },
    ],
  }),
};

describe('what pg_stat_monitor tells', () => {
  const summary = summarize(fixtureJournal(told));
  const [times, failures, ...others] = monitorTables(summary, load);

  test('is how fast calls were answered, and by which plan, added up over slices and both arms of the control', () => {
    expect(others).toEqual([]);
    expect(times?.columns.map(({ head }) => head)).toEqual(
      ['variant', 'statement', 'calls', '0 - 1 ms', '10 - 100 ms', 'over 100 ms', 'plan'], // biome-ignore format: a row
    );
    expect(textsOf(times)).toEqual([
      ['a', 'SELECT 1', '80', '90 %', '', '10 %', 'Index Scan on t'],
      ['a', 'COMMIT', '0', '', '', '', ''],
      ['b', 'SELECT 1', '40', '', '100 %', '', 'Index Scan on t'],
      ['b', 'COMMIT', '0', '', '', '', ''],
    ]);
    expect(summary.monitor.responseTimes[0]).toEqual({
      variant: 'a',
      load,
      statement: 'SELECT 1',
      responseTimes: [
        ['0 - 1 ms', 72],
        ['over 100 ms', 8],
      ],
      plan: 'Index Scan on t',
    });
  });

  test('is what failed, with its state; how often only where that is known', () => {
    expect(textsOf(failures)).toEqual([
      ['a', 'INSERT', '23505', 'duplicate key', '16'],
      ['b', 'INSERT', '23505', 'duplicate key', ''],
    ]);
  });

  test('is nothing where it is not there', () => {
    expect(monitorTables(summarize(fixtureJournal({ ...told, probeRows: () => ({}) })), load)).toEqual([]);
  });
});
