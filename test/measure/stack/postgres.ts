import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Reaper, startReaper } from '../../../src/base/process/reaper.ts';
import type { PostgresOptions, StartedPostgres } from '../../../src/measure/stack/common/postgres.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import { startEmbeddedPostgres } from '../../support/started-postgres.ts';

export interface TestPostgres {
  readonly postgres: StartedPostgres;
  readonly reaper: Reaper;
}

/** One server for all tests of a file: `const db = withPostgres();`, then `db.postgres.adminUrl()` inside a test. */
export function withPostgres(options: Omit<PostgresOptions, 'reaper'> = {}): TestPostgres {
  let reaper: Reaper | undefined;
  let postgres: StartedPostgres | undefined;
  beforeAll(async () => {
    reaper = startReaper();
    postgres = await startEmbeddedPostgres({ ...options, reaper });
  });
  afterAll(async () => {
    await postgres?.stop();
    await reaper?.close();
  });
  return {
    get postgres() {
      return started(postgres);
    },
    get reaper() {
      return started(reaper);
    },
  };
}

/** Resolves when the checkpointer waits for work: a checkpoint's end is told before it is counted, and rest after it. */
export async function untilCheckpointerRests(server: Pick<StartedPostgres, 'adminUrl' | 'version'>): Promise<void> {
  const what = `SELECT wait_event AS "waitsIn" FROM pg_stat_activity WHERE backend_type = 'checkpointer'`;
  await expect.poll(() => query(server.adminUrl(), what)).toEqual([{ waitsIn: 'CheckpointerMain' }]);
  await untilCountsAreRead(server);
}

/** Before Postgres 15 what is read of the counts may be half a second old. */
export async function untilCountsAreRead({ version }: Pick<StartedPostgres, 'version'>): Promise<void> {
  if (Number.parseInt(version, 10) < 15) await sleep(600);
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('withPostgres: read inside a test, after beforeAll');
  return value;
}
