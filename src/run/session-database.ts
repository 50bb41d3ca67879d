import type { Cleanup } from '../base/cleanup.ts';
import { PgsweepError } from '../base/errors.ts';
import type { Reaper } from '../base/reaper.ts';
import { type LoadedDataset, loadDataset } from '../dataset/load-dataset.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import type { Housekeeping } from '../probe/postgres-housekeeping.ts';
import { createDatabase, sealTemplate } from '../stack/databases.ts';
import { prepareEmbeddedPostgres, startEmbeddedPostgres } from '../stack/embedded-postgres.ts';
import type { PostgresOptions, PreparedPostgres, StartedPostgres } from '../stack/postgres.ts';
import { withConnection } from '../stack/query.ts';
import { requireVariantSettings } from '../treatment/apply.ts';
import { serversPerRound } from '../treatment/changes.ts';
import { armDatabases, type RealArmDatabases } from './arm-databases.ts';
import type { EmitEvent } from './events.ts';
import type { PostgresFacts } from './provenance.ts';
import { createRoundServers } from './round-servers.ts';
import type { RunFolder } from './run-folder.ts';
import { openServer, type RunningServer, type Servers, sharedServer } from './servers.ts';

const TEMPLATE = 'pgsweep_template';
const TRY = 'pgsweep_try';

/** The database side of a session; null for a `url` target. */
export interface SessionDatabase {
  /** Of the server that variants share where they have none of their own. */
  readonly postgres: PostgresFacts;
  readonly servers: Servers;
  readonly databases: RealArmDatabases;
  readonly dataset: LoadedDataset;
}

/** What a session hands to whatever it starts. */
export interface Resources {
  readonly reaper: Reaper;
  readonly cleanup: Cleanup;
  readonly signal: AbortSignal;
  /** Aborted when a server ends by itself, with its own last words. */
  readonly failure: AbortController;
}

export interface DatabaseOptions {
  readonly scenario: Pick<ResolvedScenario, 'stack' | 'dataset' | 'variants' | 'probesOff'>;
  readonly folder: Pick<RunFolder, 'postgresLog'>;
  readonly emit: EmitEvent;
}

/**
 * Boots Postgres, loads the data set once into a template, and tries every variant's treatment once, so that one that
 * cannot be applied is an error before any round.
 */
export async function openDatabase(options: DatabaseOptions, resources: Resources): Promise<SessionDatabase> {
  const { scenario, folder, emit } = options;
  const { reaper, cleanup, signal } = resources;
  const onProgress = (message: string): void => emit({ kind: 'preparing', message });
  const onEnd = (postgres: StartedPostgres): void => failWithServer('Postgres', postgres, resources.failure);
  const { settings, port } = scenario.stack.postgres;
  const start = { ...(port !== undefined && { port }), logFile: folder.postgresLog, onProgress };
  const make = { settings, preload: preloadsOf(scenario), reaper, onProgress };
  const prepared = serversPerRound(scenario) > 0 ? await prepare(make, cleanup) : null;
  const postgres = prepared ? await prepared.start(start) : await startEmbeddedPostgres({ ...make, ...start });
  const server = await openServer(postgres, onEnd);
  cleanup.add(() => server.stop());
  signal.throwIfAborted();
  await createDatabase(postgres, TEMPLATE);
  const dataset = await loadDataset(scenario.dataset, postgres.adminUrl(TEMPLATE), { reaper, onProgress, signal });
  await sealTemplate(postgres, TEMPLATE);
  await withConnection(postgres.adminUrl(), (run) => requireVariantSettings(run, scenario.variants));
  const { kind, version, binaries } = postgres;
  const facts: PostgresFacts = { kind, version, binaries, settings: await postgres.nonDefaultSettings() };
  const servers = prepared ? await splitServer(options, { server, prepared, onEnd }) : sharedServer(server);
  const databases = armDatabases(servers, TEMPLATE);
  cleanup.add(() => databases.close());
  signal.throwIfAborted();
  await tryTreatments(databases, options, signal);
  return { postgres: facts, servers, databases, dataset };
}

/** Measured: 0.2 to 2.5 us of Postgres's CPU a statement, in every arm alike. */
function preloadsOf({ probesOff = [] }: DatabaseOptions['scenario']): string[] {
  return probesOff === 'all' || probesOff.includes('pg-stat-statements') ? [] : ['pg_stat_statements'];
}

async function prepare(options: PostgresOptions, cleanup: Cleanup): Promise<PreparedPostgres> {
  const prepared = await prepareEmbeddedPostgres(options);
  cleanup.add(() => prepared.remove());
  return prepared;
}

interface FirstServer {
  readonly server: RunningServer;
  readonly prepared: PreparedPostgres;
  readonly onEnd: (postgres: StartedPostgres) => void;
}

/** From one server with the loaded template to one for each set of settings, none of which runs yet. */
async function splitServer(
  { scenario, folder, emit }: DatabaseOptions,
  { server, prepared, onEnd }: FirstServer,
): Promise<Servers> {
  await server.stop();
  emit({ kind: 'preparing', message: `preparing ${serversPerRound(scenario)} servers, started fresh in every round` });
  const logFile = (round: number, index: number): string =>
    folder.postgresLog.replace(/\.log$/, `-r${round}-${index}.log`);
  return createRoundServers({ scenario, prepared, logFile, onEnd });
}

async function tryTreatments(
  databases: RealArmDatabases,
  { scenario, emit }: DatabaseOptions,
  signal: AbortSignal,
): Promise<void> {
  const changed = scenario.variants.filter(({ treatment }) => treatment !== undefined);
  if (changed.length === 0) return;
  emit({ kind: 'preparing', message: `trying the changes of ${changed.length} variants` });
  await databases.open(0);
  for (const variant of changed) {
    signal.throwIfAborted();
    await databases.copy(TRY, variant);
    await databases.drop(TRY);
  }
  await databases.close();
}

/** What goes on in all servers that run. */
export function housekeepingOf(servers: Servers): Housekeeping {
  return {
    async checkpoints() {
      const counts = await Promise.all(servers.running().map(({ housekeeping }) => housekeeping.checkpoints()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async autovacuumWorkers() {
      const workers = servers.running().map(({ housekeeping }) => housekeeping.autovacuumWorkers());
      return (await Promise.all(workers)).flat();
    },
    // Each server's own ends with it.
    close: async () => {},
  };
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
