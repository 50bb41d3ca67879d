import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pgStatMonitor } from '../../../../src/measure/probe/statements/pg-stat-monitor.ts';
import { pgStatStatements } from '../../../../src/measure/probe/statements/pg-stat-statements.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { needs } from '../../../support/needs.ts';
import { wholeLoad } from '../probe-context.ts';
import { createProbed, type Probed, type ProbedDatabase } from '../probed.ts';
import { load, makeRole, schema, truth, warmUp } from './monitor-load.ts';
import { readLines, writeRecording } from './monitor-recording.ts';
import { callsOf, expectHistogram, expectTruth, type Row, rowsOf } from './monitor-rows.ts';
import { type MonitorSettings, ownServers, withMonitor } from './monitor-server.ts';

const monitor = await needs('pg_stat_monitor');
const programs = await needs('pg_stat_monitor-programs');

const preloads: readonly MonitorSettings[] = [
  { shared_preload_libraries: 'pg_stat_monitor', 'pg_stat_monitor.pgsm_normalized_query': false },
  // Texts are normalized where nobody says otherwise.
  { shared_preload_libraries: 'pg_stat_statements,pg_stat_monitor', 'pg_stat_monitor.pgsm_histogram_buckets': 20 },
  {
    shared_preload_libraries: 'pg_stat_monitor,pg_stat_statements',
    'pg_stat_monitor.pgsm_enable_query_plan': true,
    'pg_stat_monitor.pgsm_track_planning': true,
    'pg_stat_monitor.pgsm_histogram_max': 1000,
  },
];

function describeMonitor(name: string, settings: MonitorSettings, tests: (probed: Probed) => void): void {
  describe(name, monitor.orSkip, () => tests(createProbed(withMonitor(settings))));
}

const releaseOf = async (probed: Probed): Promise<string> =>
  String((await query(probed.server.postgres.adminUrl(), 'SELECT pg_stat_monitor_version() AS v'))[0]?.v);

/** What is preloaded after pg_stat_monitor sees utility statements first, and takes their ids away. */
async function isUtilityApart(url: string): Promise<boolean> {
  const [row] = await query(url, 'SHOW shared_preload_libraries');
  return !/pg_stat_monitor\b.*\bpg_stat_statements/.test(String(row?.shared_preload_libraries));
}

for (const settings of ownServers ? preloads : preloads.slice(0, 1)) {
  describeMonitor(`pg_stat_monitor, ${JSON.stringify(settings)}`, settings, (probed) => {
    it('tells what ran in a slice as the load counted it, and as pg_stat_statements did', async () => {
      const url = probed.server.postgres.adminUrl();
      await makeRole(url);
      const [database, other] = [await probed.database(...schema), await probed.database(...schema)];
      await warmUp(database);
      const probe = await probed.open(pgStatMonitor.open);
      const beside = await pgStatStatements.open(probed.context());
      const names = [database, other].map(({ arm }) => String(arm.database));
      const before = await readLines(url, names);
      const mark = 'absent' in beside ? null : await beside.begin(database.arm);
      const { values, rows = [] } = await database.during(probe, () => load(database, other));
      const same = (await mark?.end(wholeLoad())) ?? null;
      const after = await readLines(url, names);
      if (!('absent' in beside)) await beside.close();
      if (process.env.PGSWEEP_TEST_MONITOR_SHOW) console.log(await releaseOf(probed), values, rows, same);
      if (process.env.PGSWEEP_RECORD_MONITOR && settings === preloads[0])
        await writeRecording(url, names[0] ?? '', before, after);
      expectTruth(rows, { release: await releaseOf(probed), utilityApart: await isUtilityApart(url) });
      if (same !== null) expectSame(rows, same.rows ?? []);
      // Ten constants, one plan.
      if (settings === preloads[2]) {
        const [literals] = rowsOf(rows, 'SELECT s FROM t WHERE n = $1');
        expect(literals).toMatchObject({ different_plans: 1, plan: 'Index Scan using t_pkey on t' });
      }
      if (ownServers && settings !== preloads[0]) expect(callsOf(rows, 'SELECT s FROM t WHERE n = $1')).toBe(10);
      expect(values.statement_calls).toBe(rowsOf(rows, '').reduce((sum, { calls }) => sum + Number(calls), 0));
      expect(probed.warnings).toEqual([]);
    });
  });
}

/** What both extensions count of the load's statements is the same; each has a clock of its own. */
function expectSame(monitor: readonly Row[], statements: readonly Row[]): void {
  for (const text of Object.keys(truth.calls)) {
    const [one, other] = [rowsOf(monitor, text), rowsOf(statements, text)];
    for (const name of ['calls', 'rows', 'blocks_hit', 'blocks_read', 'temp_blocks', 'wal_bytes']) {
      const sum = (rows: readonly Row[]): number => rows.reduce((total, row) => total + Number(row[name]), 0);
      expect([text, name, sum(one)]).toEqual([text, name, sum(other)]);
    }
    const ms = (rows: readonly Row[]): number => rows.reduce((total, row) => total + Number(row.total_ms), 0);
    expect(Math.abs(ms(one) - ms(other))).toBeLessThan(0.05 * ms(other) + 1);
  }
}

describe('response times', programs.orSkip, () => {
  const classes = [
    { 'pg_stat_monitor.pgsm_histogram_buckets': 3, 'pg_stat_monitor.pgsm_histogram_max': 100 },
    {
      'pg_stat_monitor.pgsm_histogram_buckets': 3,
      'pg_stat_monitor.pgsm_histogram_min': 10,
      'pg_stat_monitor.pgsm_histogram_max': 100,
    },
    { 'pg_stat_monitor.pgsm_histogram_buckets': 50 },
  ];
  for (const settings of classes) {
    describeMonitor(
      JSON.stringify(settings),
      { shared_preload_libraries: 'pg_stat_monitor', ...settings },
      (probed) => {
        it('are in the class that their time belongs to', async () => {
          const database = await probed.database();
          const client = await database.client();
          const probe = await probed.open(pgStatMonitor.open);
          const { rows = [] } = await database.during(probe, async () => {
            // A statement of its own for each time, so that its class holds exactly its mean.
            for (const [columns, ms] of [0, 3, 8, 14, 22, 60, 150].entries()) {
              await client.query(`SELECT pg_sleep($1)${', n'.repeat(columns)} FROM (SELECT 1 AS n) one`, [ms / 1000]);
            }
          });
          if (process.env.PGSWEEP_TEST_MONITOR_SHOW) console.log(rows.map((row) => [row.mean_ms, row.response_times]));
          expect(callsOf(rows, 'SELECT pg_sleep')).toBe(7);
          for (const row of rows) expectHistogram(row);
        });
      },
    );
  }
});

const small = { shared_preload_libraries: 'pg_stat_monitor', 'pg_stat_monitor.pgsm_bucket_time': 1 };

describe('buckets of a second', programs.orSkip, () => {
  describeMonitor('ten of them', { ...small, 'pg_stat_monitor.pgsm_max_buckets': 10 }, (probed) => {
    it('one client: nothing is lost or counted twice where buckets change', async () => {
      const database = await probed.database(...schema);
      const { made, told } = await insertsDuring(probed, database, 1);
      expect(told).toBe(made);
      expect(probed.warnings).toEqual([]);
    });

    it('four clients: what the extension loses where buckets change is a few calls', async () => {
      const database = await probed.database(...schema);
      const { made, told } = await insertsDuring(probed, database, 4);
      console.log(await releaseOf(probed), { made, told });
      expect(told).toBeLessThanOrEqual(made);
      expect(told).toBeGreaterThan(0.99 * made);
    });
  });

  describeMonitor('two of them', { ...small, 'pg_stat_monitor.pgsm_max_buckets': 2 }, (probed) => {
    it('a slice that is longer than what is kept is missed, and said', async () => {
      const database = await probed.database(...schema);
      const probe = await probed.open(pgStatMonitor.open);
      const mark = await probe.begin(database.arm);
      await sleep(1100);
      expect(await mark.end(wholeLoad())).toBeNull();
      expect(probed.warnings).toEqual([
        expect.objectContaining({ cause: expect.stringMatching(/pg_stat_monitor keeps what ran for 1 s/) }),
      ]);
    });
  });
});

/** Inserts for more than three buckets, by clients at once. */
async function insertsDuring(probed: Probed, database: ProbedDatabase, clientCount: number) {
  const clients = await Promise.all(Array.from({ length: clientCount }, () => database.client()));
  const probe = await probed.open(pgStatMonitor.open);
  let made = 0;
  const text = 'INSERT INTO t VALUES ($1)';
  const { rows = [] } = await database.during(probe, async () => {
    const end = performance.now() + 3300;
    const insert = async (client: (typeof clients)[number]): Promise<void> => {
      while (performance.now() < end) await client.query(text, [made++]);
    };
    await Promise.all(clients.map(insert));
  });
  return { made, told: callsOf(rows, text) };
}
