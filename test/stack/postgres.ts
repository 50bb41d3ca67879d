import { afterAll, beforeAll } from 'vitest';
import { type Reaper, startReaper } from '../../src/base/process/reaper.ts';
import type { PostgresOptions, StartedPostgres } from '../../src/stack/common/postgres.ts';
import { startEmbeddedPostgres } from '../../src/stack/embedded/postgres.ts';

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

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('withPostgres: read inside a test, after beforeAll');
  return value;
}
