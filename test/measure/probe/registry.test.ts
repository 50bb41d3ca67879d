import { expect, it } from 'vitest';
import { postgresAliases } from '../../../src/judge/read/metrics/metric-aliases.ts';
import type { Probe, ProbeReading } from '../../../src/measure/probe/probe.ts';
import { probes as kinds, valueNames } from '../../../src/measure/probe/registry.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import recorded from '../../fixtures/postgres-columns.json' with { type: 'json' };
import { describeEveryVersion } from './every-version.ts';
import { wholeLoad } from './probe-context.ts';
import type { Probed, ProbedDatabase } from './probed.ts';

/** A number's name ends with its unit, or says what it is a share, a mean or a count of. */
const named = /^[a-z][a-z0-9_]*$/;

/** What is told from a version on, and what is told only before one; all else is told by every version. */
const toldFrom: Readonly<Record<string, number>> = {
  sessions_opened: 14,
  sessions_lost: 14,
  active_ms_per_transaction: 14,
  idle_in_transaction_ms_per_transaction: 14,
  wal_full_page_share: 14,
  wal_buffers_full: 14,
  backend_writes: 16,
  backend_evictions: 16,
};
const toldBefore: Readonly<Record<string, number>> = { backend_buffers: 17 };
/** By the first version that was looked at. */
const everyVersionTells = new Set<string>();

/** A slice's load: updates in three sessions, a sort in a temporary file, a table read as a whole, and a mistake. */
async function load(database: ProbedDatabase): Promise<void> {
  const clients = await Promise.all([1, 2, 3].map(database.client));
  for (let n = 0; n < 300; n++) {
    await Promise.all(clients.map((client) => client.query('UPDATE t SET n = n WHERE n = $1', [n])));
  }
  const [client] = clients;
  await client?.query(`SET work_mem = '64kB'`);
  await client?.query('SELECT * FROM generate_series(1, 20000) n ORDER BY -n OFFSET 19999');
  await client?.query('SELECT count(*) FROM t');
  await client?.query('BEGIN; BEGIN; COMMIT');
  // Sessions are looked at ten times a second: somebody is at work then.
  await client?.query('SELECT pg_sleep(1)');
  await database.end(...clients);
}

const databaseProbes = kinds.filter(({ of }) => of === 'server');

/** What all probes read of that load, by name. */
async function readAll(probed: Probed): Promise<Map<string, ProbeReading | null>> {
  const opened = await Promise.all(databaseProbes.map((kind) => kind.open(probed.context())));
  const probes = opened.filter((probe): probe is Probe => !('absent' in probe));
  expect(opened.flatMap((probe) => ('absent' in probe ? [probe] : []))).toEqual([
    { name: 'pg-stat-monitor', absent: 'this server has no extension pg_stat_monitor to offer' },
  ]);
  expect(new Set(opened.map(({ name }) => name)).size).toBe(databaseProbes.length);
  const database = await probed.database(
    'CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) n',
    'CREATE INDEX t_n ON t (n)',
  );
  const marks = [];
  for (const probe of probes) marks.push([probe.name, await probe.begin(database.arm)] as const);
  const startedMs = performance.now();
  await load(database);
  const readings = new Map<string, ProbeReading | null>();
  for (const [name, mark] of marks) readings.set(name, await mark.end(wholeLoad(performance.now() - startedMs)));
  for (const probe of probes) await probe.close();
  return readings;
}

/** The views that are read, by what any version calls them. */
const views = [...new Set(Object.values(recorded).flatMap((catalog) => Object.keys(catalog)))];

describeEveryVersion('all probes of the database together', (probed, version) => {
  it('are there, or say why not, and tell numbers by name in records that JSON can hold', async () => {
    const readings = await readAll(probed);
    const told: string[] = [];
    for (const reading of readings.values()) {
      expect(reading).not.toBeNull();
      expect(JSON.parse(JSON.stringify(reading))).toEqual(reading);
      for (const [name, value] of Object.entries(reading?.values ?? {})) {
        expect(name).toMatch(named);
        expect(told).not.toContain(name);
        expect(value).toBeGreaterThanOrEqual(0);
        told.push(name);
      }
      for (const row of reading?.rows ?? []) {
        for (const value of Object.values(row)) expect(['string', 'number', 'object']).toContain(typeof value);
      }
    }
    const left = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'pgsweep probe'`;
    await expect.poll(() => query(probed.server.postgres.adminUrl(), left)).toEqual([{ n: 0 }]);
    expect(probed.warnings).toEqual([]);

    const major = Number(version);
    for (const [name, from] of Object.entries(toldFrom))
      expect([name, told.includes(name)]).toEqual([name, major >= from]);
    for (const [name, before] of Object.entries(toldBefore))
      expect([name, told.includes(name)]).toEqual([name, major < before]);
    const always = told.filter((name) => !(name in toldFrom) && !(name in toldBefore));
    expect(always.length).toBeGreaterThan(50);
    if (everyVersionTells.size === 0) for (const name of always) everyVersionTells.add(name);
    expect(new Set(always)).toEqual(everyVersionTells);
    expect(told).toEqual(expect.arrayContaining(Object.values(postgresAliases).flat()));
    expect(told.filter((name) => !valueNames.includes(name))).toEqual([]);

    // What there was to see has been seen.
    const values = Object.assign({}, ...[...readings.values()].map((reading) => reading?.values));
    expect(values).toMatchObject({ log_transaction_open: 1, deadlocks: 0 });
    for (const name of [
      'busy_connections_mean',
      'temp_kb',
      'wal_kb_per_s',
      'statement_wal_kb',
      'statement_temp_blocks',
    ])
      expect([name, values[name]]).toEqual([name, expect.any(Number)]);
    const update = 'UPDATE t SET n = n WHERE n = $1';
    expect(readings.get('pg-stat-statements')?.rows).toContainEqual(
      expect.objectContaining({ statement: update, calls: 900, mean_ms: expect.any(Number) }),
    );
    expect(readings.get('plans')?.rows).toContainEqual(
      expect.objectContaining({ statement: 'SELECT count(*) FROM t', shape: 'Aggregate | Seq Scan on t' }),
    );
    expect(readings.get('plans')?.rows).toContainEqual(
      expect.objectContaining({ statement: update, shape: expect.stringMatching(/^Update on t \| .*using t_n/) }),
    );
    expect(readings.get('table-use')?.rows).toContainEqual(expect.objectContaining({ table: 't', index: 't_n' }));
    const where = (readings.get('postgres-io')?.rows ?? []).map((row) => row.where);
    expect(where.includes('client backend, relation, normal')).toBe(major >= 16);
  });

  it('find the columns that are recorded of this version', async () => {
    const rows = await query(
      probed.server.postgres.adminUrl(),
      `SELECT c.oid::regclass::text AS view, string_agg(attname, ' ' ORDER BY attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.oid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name) AND attnum > 0 GROUP BY 1`,
      [views],
    );
    expect(Object.fromEntries(rows.map((row) => [row.view, row.columns]))).toEqual(recorded[version]);
  });

  it('where the server is gone: absent, with the reason, and no exception', async () => {
    const gone = {
      ...probed.server.postgres,
      adminUrl: () => 'postgres://nobody@127.0.0.1:1/none',
      logFile: '/no/such',
    };
    for (const kind of databaseProbes) {
      const probe = await kind.open(probed.context({ postgres: gone }));
      // What has no connection to keep finds out in its slice.
      if ('absent' in probe) expect(probe.absent).toMatch(/ECONNREFUSED/);
      else expect(await (await probe.begin({ ...armOf(), database: 'none' })).end(wholeLoad())).toBeNull();
    }
    expect(probed.warnings.filter((one) => one.kind !== 'probe-missed' || !/ECONNREFUSED/.test(one.cause))).toEqual([]);
  });

  it('where the database is somebody else’s: absent', async () => {
    for (const kind of databaseProbes) {
      expect(await kind.open(probed.context({ postgres: null }))).toMatchObject({
        absent: expect.stringMatching(/pgsweep/),
      });
    }
  });
});

const armOf = () => ({ round: 1, slice: 0, arm: 'a', url: '', pid: null, underLoad: () => true });
