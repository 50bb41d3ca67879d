import { tmpdir } from 'node:os';
import { PgsweepError } from '../../../base/errors.ts';
import { freeBytesOf } from '../../../base/files/disk.ts';
import type { Cleanup } from '../../../base/process/cleanup.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { plannedVariants } from '../../../journal/line-up.ts';
import type { OwnServersReason, ServiceRole } from '../../../journal/run/provenance-record.ts';
import type {
  PostgresRelease,
  PostgresSpec,
  ResolvedScenario,
  ServerLimits,
} from '../../../journal/scenario-record.ts';
import type { LoadedDataset } from '../../dataset/load-dataset.ts';
import type { Arm } from '../../plan/arms.ts';
import {
  type Arrangement,
  arrangementFor,
  needOfOwnServers,
  releaseKey,
  type ServerPlan,
  type ServerRoom,
} from '../../plan/own-servers.ts';
import type { Housekeeping } from '../../probe/meter/postgres-housekeeping.ts';
import { probes } from '../../probe/registry.ts';
import { machineMemoryBytes } from '../../stack/common/machine-memory.ts';
import { type PreparedPostgres, releaseOf, type StartedPostgres } from '../../stack/common/postgres.ts';
import { withConnection } from '../../stack/common/query.ts';
import { nonDefaultSettings } from '../../stack/common/settings.ts';
import { stackKinds } from '../../stack/kinds.ts';
import type { Stack } from '../../stack/stack.ts';
import { requireVariantSettings } from '../../treatment/apply.ts';
import type { EmitEvent } from '../events.ts';
import type { PostgresFacts } from '../provenance.ts';
import type { RunFolder } from '../run-folder.ts';
import { type ArmToCopy, armDatabases, type RealArmDatabases } from './arm-databases.ts';
import { findRestoreFor } from './find-restore.ts';
import { type LoadedTemplate, loadTemplates, templateOf } from './load-templates.ts';
import { buildsNote } from './postgres-versions.ts';
import { createRoundServers } from './round-servers.ts';
import { openServer, type RunningServer, type Servers, sharedServer } from './servers.ts';
import type { Login } from './service-role.ts';

const TRY = 'pgsweep_try';

/** The database side of a session; null where no variant has a Postgres. */
export interface SessionDatabase {
  /** The server that arms share, or that the data set was loaded on first. */
  readonly postgres: PostgresFacts;
  /** The versions of all servers. */
  readonly versions: readonly string[];
  /** True if the processes of all servers are visible on this machine. */
  readonly seesProcesses: boolean;
  readonly servers: Servers;
  readonly databases: RealArmDatabases;
  readonly dataset: LoadedDataset;
  /** The role that services have. */
  readonly role: ServiceRole;
}

/** Facts that a session passes to whatever it starts. */
export interface SessionContext {
  readonly reaper: Reaper;
  readonly cleanup: Cleanup;
  readonly signal: AbortSignal;
  /** Aborted when a server ends by itself, with its own last words. */
  readonly failure: AbortController;
}

export interface DatabaseOptions {
  readonly scenario: Pick<ResolvedScenario, 'stack' | 'dataset' | 'probesOff'> & ServerPlan;
  /** Those that get a copy of the database. */
  readonly arms: readonly Arm[];
  /** How a resumed run had its servers before; absent for a new run. */
  readonly ownServersBefore?: OwnServersReason | null;
  readonly stack: Pick<Stack, 'kind' | 'preparePostgres'>;
  readonly folder: Pick<RunFolder, 'postgresLog'>;
  readonly emit: EmitEvent;
}

/**
 * Boots Postgres, loads the data set once into a template (of each Postgres that a variant names, once more), and tries
 * every variant's treatment once, so that one that cannot be applied is an error before any round.
 */
export async function openDatabase(options: DatabaseOptions, resources: SessionContext): Promise<SessionDatabase> {
  const { arms, emit } = options;
  const { cleanup, signal } = resources;
  const onEnd = (postgres: StartedPostgres): void => failWithServer('Postgres', postgres, resources.failure);
  const releases = new Map(arms.map(({ variant }) => [releaseKey(variant), variant.treatment?.postgres]));
  const loaded = new Map<string, LoadedServer>();
  for (const [key, release] of releases) loaded.set(key, await loadServer(options, resources, { key, release, onEnd }));
  const usual = loaded.get('') ?? [...loaded.values()][0];
  if (usual === undefined) throw new Error('a scenario without a variant on Postgres');
  const arrangement = await arrange(options, usual);
  const servers = arrangement.own === null ? sharedServer(usual.server) : await ownServers(options, loaded, onEnd);
  const { housekeeping = false } = options.scenario.stack.postgres;
  const login = (arm: ArmToCopy): Login | null => loaded.get(releaseKey(arm.variant))?.login ?? null;
  const databases = armDatabases(servers, templateOf, { housekeeping, login });
  cleanup.add(() => databases.close());
  const all = [...loaded.values()];
  const notes = [...all.map(({ facts }) => facts.note), buildsNote(all.map(({ facts }) => facts))];
  const shown = [...new Set(notes.filter((note) => note !== undefined))];
  for (const note of shown) emit({ kind: 'warning', warning: { kind: 'postgres', note } });
  const { leftOut } = usual.dataset.record ?? {};
  if (leftOut !== undefined) emit({ kind: 'warning', warning: { kind: 'left-out', leftOut } });
  signal.throwIfAborted();
  await tryTreatments(databases, options, signal);
  const postgres = { ...usual.facts, ownServers: arrangement.own, ...(shown.length > 0 && { note: shown.join('; ') }) };
  const seesProcesses = all.every((one) => one.seesProcess);
  const versions = all.map(({ facts }) => facts.version);
  return { postgres, versions, seesProcesses, servers, databases, dataset: usual.dataset, role: usual.role };
}

/** A server that runs, with its templates: of several the control's. */
interface LoadedServer extends LoadedTemplate {
  readonly prepared: PreparedPostgres;
  readonly server: RunningServer;
  readonly facts: Omit<PostgresFacts, 'ownServers'>;
  readonly seesProcess: boolean;
}

interface Wanted {
  readonly key: string;
  readonly release: PostgresRelease | undefined;
  readonly onEnd: (postgres: StartedPostgres) => void;
}

async function loadServer(
  { scenario, stack, folder, emit }: DatabaseOptions,
  { reaper, cleanup, signal }: SessionContext,
  { key, release, onEnd }: Wanted,
): Promise<LoadedServer> {
  const onProgress = (message: string): void => emit({ kind: 'preparing', message });
  const { settings, port, housekeeping = false } = scenario.stack.postgres;
  const wanted = serverOf(scenario.stack.postgres, release);
  const preload = preloadsOf(scenario);
  const options = { settings, housekeeping, preload, reaper, signal, onProgress, server: wanted };
  const start = { ...(port !== undefined && { port }), logFile: folder.postgresLog, onProgress };
  // Whether its data is used again is known when it is loaded.
  const prepared = await stack.preparePostgres(options);
  cleanup.add(() => prepared.remove());
  const postgres = await prepared.start(start);
  const server = await openServer(postgres, onEnd);
  cleanup.add(() => server.stop());
  signal.throwIfAborted();
  const its = plannedVariants(scenario).filter((variant) => releaseKey(variant) === key);
  const loading = { findRestore: findRestoreFor(postgres), reaper, onProgress, signal };
  const first = await loadTemplates(scenario.dataset, its, postgres, loading);
  await withConnection(postgres.adminUrl(), (run) => requireVariantSettings(run, its));
  const { kind, version, binaries, note } = postgres;
  const facts = {
    kind,
    version,
    binaries,
    settings: await nonDefaultSettings(postgres),
    ...(note !== undefined && { note }),
  };
  return { prepared, server, ...first, facts, seesProcess: postgres.pid !== null };
}

/** Measured: 0.2 to 2.5 us of Postgres's CPU a statement, in every arm alike. */
function preloadsOf({ probesOff = [] }: DatabaseOptions['scenario']): string[] {
  const wanted = probesOff === 'all' ? [] : probes.filter(({ name }) => !probesOff.includes(name));
  return wanted.flatMap(({ preload }) => preload ?? []);
}

/** The stack's Postgres, with a variant's own Postgres over it. */
function serverOf(stack: PostgresSpec, own?: PostgresRelease): PostgresRelease & ServerLimits {
  const { cpus, cpuset, memory } = stack;
  return {
    ...releaseOf(stack, own),
    ...(cpus !== undefined && { cpus }),
    ...(cpuset !== undefined && { cpuset }),
    ...(memory !== undefined && { memory }),
  };
}

/** Decides if arms share a server: as before, as the scenario needs it, or by the size of the loaded data. */
async function arrange(
  { scenario, arms, stack, ownServersBefore, emit }: DatabaseOptions,
  { server, template }: LoadedServer,
): Promise<Arrangement> {
  const need = needOfOwnServers(scenario);
  if (need !== null) return { own: need };
  if (ownServersBefore !== undefined) return { own: ownServersBefore };
  const diskBytes = stackKinds[stack.kind].contained ? null : freeBytesOf(process.env.PGSWEEP_TMP || tmpdir());
  const room = { copies: arms.length, diskBytes, ...(await sizesOn(server.postgres, template)) };
  const arrangement = arrangementFor(room);
  const { lacks } = arrangement;
  if (lacks !== undefined) emit({ kind: 'warning', warning: { kind: 'server-is-shared', lacks, room } });
  return arrangement;
}

const SIZES_SQL = `
  SELECT pg_database_size($1)::float8 AS copy, pg_size_bytes(current_setting('shared_buffers'))::float8 AS buffers`;

async function sizesOn(
  { own, adminUrl }: RunningServer['postgres'],
  template: string,
): Promise<Pick<ServerRoom, 'copyBytes' | 'bufferBytes' | 'memoryBytes'>> {
  const [row] = await withConnection(adminUrl(), (run) => run(SIZES_SQL, [template]));
  const memoryBytes = own ? machineMemoryBytes() : null;
  return { copyBytes: Number(row?.copy), bufferBytes: Number(row?.buffers), memoryBytes };
}

/** One server for each arm, none of which runs yet. */
async function ownServers(
  { scenario, arms, folder, emit }: DatabaseOptions,
  loaded: ReadonlyMap<string, LoadedServer>,
  onEnd: (postgres: StartedPostgres) => void,
): Promise<Servers> {
  await Promise.all([...loaded.values()].map(({ server }) => server.stop()));
  const prepared = new Map([...loaded].map(([key, one]) => [key, one.prepared]));
  const what = arms.length === 1 ? 'the server' : `${arms.length} servers, one for each arm`;
  emit({ kind: 'preparing', message: `preparing ${what}, started fresh in every round` });
  const logFile = (round: number, index: number): string =>
    folder.postgresLog.replace(/\.log$/, `-r${round}-${index}.log`);
  return createRoundServers({ arms, prepared, port: scenario.stack.postgres.port, logFile, onEnd });
}

async function tryTreatments(
  databases: RealArmDatabases,
  { scenario, emit }: DatabaseOptions,
  signal: AbortSignal,
): Promise<void> {
  const changed = scenario.variants.filter(({ treatment }) => treatment !== undefined);
  if (changed.length === 0) return;
  emit({
    kind: 'preparing',
    message: `trying the changes of ${changed.length} variant${changed.length === 1 ? '' : 's'}`,
  });
  await databases.open(0);
  for (const variant of changed) {
    signal.throwIfAborted();
    await databases.copy(TRY, { name: variant.name, variant });
    await databases.drop(TRY);
  }
  await databases.close();
}

/** State of housekeeping on all servers that run. */
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

/** A server of the stack, as far as it is watched. */
type Server = Pick<StartedPostgres, 'exited' | 'logTail'>;

/** A server that ends by itself ends the run, with its own last words. */
export function failWithServer(name: string, server: Server, failure: AbortController): void {
  void server.exited.then(async ({ code, signal }) => {
    const tail = await server.logTail(15);
    failure.abort(
      new PgsweepError(
        'stack',
        `${name} ended (${signal ?? `exit code ${code}`}) during the run. Its log's last lines:\n${tail}`,
      ),
    );
  });
}
