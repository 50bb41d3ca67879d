import { loadDataset } from '../dataset/load-dataset.ts';
import { createDatabase, sealTemplate } from '../stack/databases.ts';
import { startEmbeddedPostgres } from '../stack/embedded-postgres.ts';
import type { StartedPostgres } from '../stack/postgres.ts';
import { armDatabases } from './arm-databases.ts';
import type { BulkLoadRun } from './bulk-load.ts';
import type { EmitEvent } from './events.ts';
import { type Resources, TEMPLATE } from './session-database.ts';

/** The databases of a bulk load: one a round, each with the service's tables and nothing in them. */
export interface BulkDatabases {
  readonly postgres: StartedPostgres;
  /** Makes a round's database, at the same distance from a checkpoint as any other's, and returns its URL. */
  make(round: number): Promise<string>;
  drop(round: number): Promise<void>;
}

/** Boots Postgres and makes the template. Throws PgsweepError `stack`. */
export async function openBulkDatabases(
  { stack, folder }: Pick<BulkLoadRun, 'stack' | 'folder'>,
  { emit, reaper, cleanup, signal }: Resources & { readonly emit: EmitEvent },
): Promise<BulkDatabases> {
  const { settings, port } = stack.postgres;
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
  await loadDataset({ kind: 'schema' }, postgres.adminUrl(TEMPLATE), { reaper, onProgress, signal });
  await sealTemplate(postgres, TEMPLATE);
  const databases = armDatabases(postgres, TEMPLATE);
  const nameOf = (round: number): string => `pgsweep_bulk_${round}`;
  return {
    postgres,
    async make(round) {
      await databases.checkpoint();
      const url = await databases.copy(nameOf(round));
      await databases.checkpoint();
      return url;
    },
    drop: (round) => databases.drop(nameOf(round)),
  };
}
