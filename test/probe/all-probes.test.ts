import { expect, it } from 'vitest';
import { databaseProbes } from '../../src/probe/all-probes.ts';
import type { Probe } from '../../src/probe/probe.ts';
import { query } from '../../src/stack/query.ts';
import { describeProbed } from './probed.ts';

/** A number's name ends with its unit, or says what it is a share, a mean or a count of. */
const named = /^[a-z][a-z0-9_]*$/;

describeProbed('all probes of the database together', {}, (probed) => {
  it('are there, or say why not, and tell numbers by name in records that JSON can hold', async () => {
    const opened = await Promise.all(databaseProbes.map((open) => open(probed.context())));
    const probes = opened.filter((probe): probe is Probe => !('absent' in probe));
    expect(opened.flatMap((probe) => ('absent' in probe ? [probe] : []))).toEqual([
      { name: 'pg-stat-monitor', absent: 'this server has no extension pg_stat_monitor to offer' },
    ]);
    expect(new Set(opened.map(({ name }) => name)).size).toBe(databaseProbes.length);
    const database = await probed.database('CREATE TABLE t AS SELECT n FROM generate_series(1, 1000) n');
    const clients = await Promise.all([1, 2, 3].map(database.client));
    const marks = [];
    for (const probe of probes) marks.push(await probe.begin(database.arm));
    for (let n = 0; n < 300; n++) {
      await Promise.all(clients.map((client) => client.query('UPDATE t SET n = n WHERE n = $1', [n])));
    }
    const names = new Set<string>();
    for (const mark of marks) {
      const reading = await mark.end();
      expect(reading).not.toBeNull();
      expect(JSON.parse(JSON.stringify(reading))).toEqual(reading);
      for (const [name, value] of Object.entries(reading?.values ?? {})) {
        expect(name).toMatch(named);
        expect(names).not.toContain(name);
        expect(value).toBeGreaterThanOrEqual(0);
        names.add(name);
      }
      for (const row of reading?.rows ?? []) {
        for (const value of Object.values(row)) expect(['string', 'number', 'object']).toContain(typeof value);
      }
    }
    expect(names.size).toBeGreaterThan(50);
    for (const probe of probes) await probe.close();
    expect(probed.warnings).toEqual([]);
    const left = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'pgsweep probe'`;
    expect(await query(probed.server.postgres.adminUrl(), left)).toEqual([{ n: 0 }]);
  });

  it('where the server is gone: absent, with the reason, and no exception', async () => {
    const gone = {
      ...probed.server.postgres,
      adminUrl: () => 'postgres://nobody@127.0.0.1:1/none',
      logFile: '/no/such',
    };
    for (const open of databaseProbes) {
      const probe = await open(probed.context({ postgres: gone }));
      // What has no connection to keep finds out in its slice.
      if ('absent' in probe) expect(probe.absent).toMatch(/ECONNREFUSED/);
      else expect(await (await probe.begin({ ...armOf(), database: 'none' })).end()).toBeNull();
    }
    expect(probed.warnings.filter((warning) => !/ECONNREFUSED/.test(warning))).toEqual([]);
  });

  it('where the database is somebody else’s: absent', async () => {
    for (const open of databaseProbes) {
      expect(await open(probed.context({ postgres: null }))).toMatchObject({
        absent: expect.stringMatching(/pgsweep/),
      });
    }
  });
});

const armOf = () => ({ round: 1, slice: 0, arm: 'a', url: '', pid: null });
