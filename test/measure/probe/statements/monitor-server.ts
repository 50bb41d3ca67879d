import { afterAll, beforeAll } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import type { SettingValue, StartedPostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../../src/measure/stack/common/query.ts';
import { openExternalPostgres } from '../../../../src/measure/stack/external/postgres.ts';
import { type TestPostgres, withPostgres } from '../../stack/postgres.ts';

/**
 * Where a pg_stat_monitor is: the folder of `postgres` and `initdb` of a server that has it, or the URL, for a superuser,
 * of one that has preloaded it (Percona's image, for one).
 */
const { PGSWEEP_TEST_MONITOR_BIN: folder, PGSWEEP_TEST_MONITOR_URL: url } = process.env;

const nowhere = 'neither PGSWEEP_TEST_MONITOR_BIN nor PGSWEEP_TEST_MONITOR_URL says where a pg_stat_monitor is';

/** Whether servers can be started with settings of the test's own. */
export const ownServers = folder !== undefined && folder !== '';

export type MonitorSettings = Readonly<Record<string, SettingValue>>;

/** A server with pg_stat_monitor: started with these settings, or somebody else's as it is. */
export function withMonitor(settings: MonitorSettings): TestPostgres {
  if (ownServers) return withPostgres({ settings, binaries: { folder: String(folder), source: 'pg_stat_monitor' } });
  let reaper: Reaper | undefined;
  let postgres: StartedPostgres | undefined;
  beforeAll(async () => {
    if (!url) return;
    reaper = startReaper();
    postgres = await openExternalPostgres(url, { reaper });
    await query(url, 'CREATE EXTENSION IF NOT EXISTS pg_stat_monitor');
  });
  afterAll(async () => {
    await postgres?.stop();
    await reaper?.close();
  });
  return {
    get postgres() {
      if (postgres === undefined) throw new Error(nowhere);
      return postgres;
    },
    get reaper() {
      if (reaper === undefined) throw new Error(nowhere);
      return reaper;
    },
  };
}
