import type { Cleanup } from '../base/cleanup.ts';
import { PgsweepError } from '../base/errors.ts';
import type { Reaper } from '../base/reaper.ts';
import { type LoadedDataset, loadDataset } from '../dataset/load-dataset.ts';
import { type CountersReader, openCountersReader } from '../probe/database-counters.ts';
import { type Housekeeping, openHousekeeping } from '../probe/postgres-housekeeping.ts';
import { createDatabase, sealTemplate } from '../stack/databases.ts';
import { startEmbeddedPostgres } from '../stack/embedded-postgres.ts';
import type { StartedPostgres } from '../stack/postgres.ts';
import type { SessionOptions } from './session.ts';

export const TEMPLATE = 'pgsweep_template';

/** The database side of a session; all null for a `url` target. */
export interface SessionDatabase {
  readonly postgres: StartedPostgres;
  readonly reader: CountersReader;
  readonly housekeeping: Housekeeping;
  readonly dataset: LoadedDataset;
}

/** What a session hands to whatever it starts. */
export interface Resources {
  readonly reaper: Reaper;
  readonly cleanup: Cleanup;
  readonly signal: AbortSignal;
}

/** Boots Postgres, and loads the data set once into a template. */
export async function openDatabase(
  options: Pick<SessionOptions, 'scenario' | 'folder' | 'emit'>,
  { reaper, cleanup, signal }: Resources,
): Promise<SessionDatabase> {
  const { scenario, folder, emit } = options;
  const { settings, port } = scenario.stack.postgres;
  const onProgress = (message: string): void => emit({ kind: 'preparing', message });
  const postgres = await startEmbeddedPostgres({
    settings,
    ...(port !== undefined && { port }),
    reaper,
    onProgress,
    logFile: folder.postgresLog,
  });
  cleanup.add(() => postgres.stop());
  signal.throwIfAborted();
  await createDatabase(postgres, TEMPLATE);
  const dataset = await loadDataset(scenario.dataset, postgres.adminUrl(TEMPLATE), { reaper, onProgress, signal });
  await sealTemplate(postgres, TEMPLATE);
  const reader = await openCountersReader(postgres.adminUrl());
  cleanup.add(() => reader.close());
  const housekeeping = await openHousekeeping(postgres.adminUrl());
  cleanup.add(() => housekeeping.close());
  return { postgres, reader, housekeeping, dataset };
}

/** What can be watched of a server of the stack. */
type Server = Pick<StartedPostgres, 'exited' | 'logTail'>;

/** A server that ends by itself ends the run, with its own last words. */
export function failWithServer(name: string, server: Server, failure: AbortController): void {
  void server.exited.then(async ({ code, signal }) => {
    const tail = await server.logTail(15);
    failure.abort(
      new PgsweepError(
        'stack',
        `${name} ended (${signal ?? `exit code ${code}`}) during the run. Its log's last lines:\n${tail}`,
        {
          hint: 'The rounds before this one are kept, and can be reported.',
        },
      ),
    );
  });
}
