import { tmpdir } from 'node:os';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { asErrorOfFullDisk } from '../../../base/files/disk.ts';
import { type Cleanup, createCleanup } from '../../../base/process/cleanup.ts';
import { openLedger } from '../../../base/process/ledger.ts';
import { type Reaper, startReaper } from '../../../base/process/reaper.ts';
import { needsPostgres } from '../../../journal/link/own-database.ts';
import type { OwnServersReason } from '../../../journal/run/provenance-record.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { openLink } from '../../link/open-link.ts';
import { switchService } from '../../live/switch-service.ts';
import { type StartedGenerator, startLoadGenerator } from '../../load/generator-process.ts';
import { armsWithCopies } from '../../plan/own-servers.ts';
import type { StartedOpenSearch } from '../../stack/common/opensearch.ts';
import type { Stack, StackChoice } from '../../stack/stack.ts';
import type { EmitEvent } from '../events.ts';
import type { RoundStack } from '../round/round-context.ts';
import { type RunFolder, takeFolder } from '../run-folder.ts';
import { startVariant } from '../start-variant.ts';
import { sessionIndices } from './arm-indices.ts';
import { blameServer } from './blame-server.ts';
import { openDatabase, type SessionContext, type SessionDatabase } from './session-database.ts';
import { openSearch } from './session-search.ts';
import { openStack } from './session-stack.ts';

export interface ServersOptions {
  readonly scenario: ResolvedScenario;
  readonly stackChoice: StackChoice;
  readonly folder: RunFolder;
  readonly emit: EmitEvent;
  /** Aborted by Ctrl-C, with the reason to end with. */
  readonly signal: AbortSignal;
  /** How the arms had their servers before, of a resumed run. */
  readonly ownServersBefore?: OwnServersReason | null;
  /** Callback of `uniqueNumbers`. */
  readonly onSetAside?: (below: number) => void;
  /** Looks at the machine once it is known which stack it will be, and before anything is started; absent where it has been looked at. */
  readonly examine?: (stack: Pick<Stack, 'kind'>) => Promise<void>;
}

/** Servers and services that a session has started before its first round. */
export interface SessionServers extends SessionContext {
  /** The kind of stack, and why it was chosen. */
  readonly chosen: Stack;
  /** Servers, and the means to bring arms to life on them. */
  readonly stack: RoundStack;
  /** Null where no variant has a Postgres. */
  readonly database: SessionDatabase | null;
  readonly search: StartedOpenSearch | null;
  readonly generator: StartedGenerator;
}

/**
 * Boots the stack, loads the data set once into a template, starts the load generator, and takes everything down again
 * when `use` is done or has failed. Throws PgsweepError.
 */
export async function withServers<T>(
  options: ServersOptions,
  use: (servers: SessionServers) => Promise<T>,
): Promise<T> {
  const { scenario, stackChoice, folder, emit } = options;
  const cleanup = createCleanup();
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  let database: SessionDatabase | null = null;
  try {
    cleanup.add(takeFolder(folder.path));
    const reaper = startReaper({
      ledger: openLedger(folder.path),
      onReplaced: () => emit({ kind: 'warning', warning: { kind: 'guard-died' } }),
    });
    cleanup.add(() => reaper.close());
    const resources = { reaper, cleanup, signal, failure };
    // First, since what it lacks on a new machine is to be said before the data set is loaded.
    const chosen = await openStack(scenario, stackChoice, emit);
    await options.examine?.(chosen);
    const search = await openSearch({ ...options, stack: chosen }, resources);
    if (needsPostgres(scenario)) {
      const arms = armsWithCopies(scenario);
      database = await openDatabase({ ...options, arms, stack: chosen }, resources);
    }
    const generator = await openGenerator(options, database, { reaper, cleanup });
    const stack: RoundStack = {
      reaper,
      databases: database?.databases ?? null,
      servers: database?.servers ?? null,
      // Another's service that already runs keeps its indices.
      indices: search && scenario.target.kind !== 'url' ? sessionIndices(search, resources) : null,
      openLink,
      startTarget: startVariant,
      switchService,
    };
    const result = await use({ ...resources, chosen, stack, search, database, generator });
    await endAll(cleanup, emit);
    return result;
  } catch (error) {
    const cause = await blameServer(error, database?.servers.running() ?? [], failure.signal);
    throw asErrorOfFullDisk(cause, [folder.path, process.env.PGSWEEP_TMP || tmpdir()]);
  } finally {
    await endAll(cleanup, emit).catch(() => {});
  }
}

/** Throws PgsweepError `disk` where samples are not whole since the disk had no room; other errors are reported. */
async function endAll(cleanup: Cleanup, emit: EmitEvent): Promise<void> {
  const errors = await cleanup.run();
  for (const error of errors) emit({ kind: 'warning', warning: { kind: 'clean-up-failed', cause: messageOf(error) } });
  const full = errors.find((error) => error instanceof PgsweepError && error.code === 'disk');
  if (full !== undefined) throw full;
}

async function openGenerator(
  { scenario, onSetAside }: ServersOptions,
  database: SessionDatabase | null,
  { reaper, cleanup }: { readonly reaper: Reaper; readonly cleanup: Cleanup },
): Promise<StartedGenerator> {
  const { workload, uniqueFrom, processes, bulk } = scenario.load;
  const load = await startLoadGenerator(
    {
      workload,
      documents: database?.dataset.examples ?? [],
      bulk,
      ...(uniqueFrom !== undefined && { uniqueFrom }),
      ...(processes !== undefined && { processes }),
    },
    reaper,
    onSetAside,
  );
  cleanup.add(() => load.stop());
  return load;
}
