import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { loadTypeScript } from '../../../base/load-typescript.ts';
import { createCleanup } from '../../../base/process/cleanup.ts';
import { openLedger } from '../../../base/process/ledger.ts';
import { type Reaper, startReaper } from '../../../base/process/reaper.ts';
import { seedOf } from '../../../base/random.ts';
import type { BulkCheck } from '../../../journal/bulk-records.ts';
import type { LinkReading } from '../../../journal/link/link-record.ts';
import type { Provenance } from '../../../journal/records.ts';
import type {
  BulkSpec,
  ResolvedScenario,
  ServiceTarget,
  UrlTarget,
  Variant,
} from '../../../journal/scenario-record.ts';
import type { AppliedTreatment } from '../../../journal/treatment-records.ts';
import { isWarned } from '../../finding.ts';
import type { OpenedLink } from '../../link/link.ts';
import { openLink } from '../../link/open-link.ts';
import { linkFindings, requireParts } from '../../link/parts.ts';
import { firstRequestOf } from '../../load/bulk/requests-of.ts';
import { startLoadGenerator } from '../../load/generator-process.ts';
import type { BulkProgress, BulkResult, LoadGenerator } from '../../load/load-generator.ts';
import { asErrorOfFullServer } from '../../stack/common/full-server.ts';
import type { StackChoice } from '../../stack/stack.ts';
import { addressOf, type StartedTarget } from '../../target/target.ts';
import type { EmitEvent } from '../events.ts';
import { gatherProvenance } from '../provenance.ts';
import { whileServing } from '../round/run-load.ts';
import { type ArmIndices, sessionIndices } from '../servers/arm-indices.ts';
import { openSearch } from '../servers/session-search.ts';
import { openStack } from '../servers/session-stack.ts';
import { startVariant } from '../start-variant.ts';
import { type BulkDatabases, openBulkDatabases } from './bulk-databases.ts';
import type { BulkFolder } from './bulk-folder.ts';
import { checkBulk } from './check-bulk.ts';

export interface BulkLoadRun {
  /** A service that already runs has no database that could be recreated or checked. */
  readonly target: ServiceTarget | UrlTarget;
  readonly variant: Variant;
  readonly stack: ResolvedScenario['stack'];
  readonly stackChoice: StackChoice;
  readonly spec: BulkSpec;
  readonly seed: number;
  readonly timeoutMs: number;
  readonly rounds: number;
  readonly folder: BulkFolder;
}

export interface BulkRound {
  readonly round: number;
  readonly result: BulkResult;
  /** Null where the database cannot be seen. */
  readonly check: BulkCheck | null;
  /** Changes that the variant made in its database. */
  readonly treatment: readonly AppliedTreatment[];
  /** Measurements of what the variant has between its service and its database; absent where there are none. */
  readonly link?: LinkReading;
}

export interface BulkLoadOptions {
  readonly emit: EmitEvent;
  /** Called when the service is ready, right before the load. */
  readonly onStart: () => void;
  readonly onRound: (round: BulkRound, provenance: Provenance) => void;
  readonly signal: AbortSignal;
}

/**
 * Loads a data set as often as asked, each time into its own database with nothing but the service's tables, and
 * takes everything down again. Throws PgsweepError; the rounds before it have been reported.
 */
export async function runBulkLoad(run: BulkLoadRun, options: BulkLoadOptions): Promise<void> {
  const { emit, onRound } = options;
  await requireDocuments(run.spec.dataset, run.seed);
  const parts = await requireParts({ variants: [run.variant] }, undefined);
  const cleanup = createCleanup();
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  try {
    const reaper = startReaper({ ledger: openLedger(null) });
    cleanup.add(() => reaper.close());
    const resources = { reaper, cleanup, signal, failure };
    const stack = await openStack(
      { stack: run.stack, target: run.target, variants: [run.variant] },
      run.stackChoice,
      emit,
    );
    const search = await openSearch({ scenario: run, stack, folder: run.folder, emit }, resources);
    const databases = run.target.kind === 'url' ? null : await openBulkDatabases(run, { emit, stack, ...resources });
    const gathered = await gatherProvenance(
      { folder: fileURLToPath(new URL('.', import.meta.url)), byVariant: new Map() },
      { reason: stack.reason, postgres: databases?.postgres ?? null, search },
      null,
    );
    const provenance = { ...gathered, ...parts };
    const load = await startLoadGenerator(
      { workload: { kind: 'requests', requests: [] }, documents: [], bulk: run.spec },
      reaper,
    );
    cleanup.add(() => load.stop());
    const indices = search && run.target.kind !== 'url' ? sessionIndices(search, { reaper, cleanup }) : null;
    const session = { reaper, databases, indices, load };
    for (let round = 1; round <= run.rounds; round++)
      onRound(await oneRound(run, { ...options, signal }, session, round), provenance);
  } catch (error) {
    throw asErrorOfFullServer(error);
  } finally {
    for (const error of await cleanup.run())
      emit({ kind: 'warning', warning: { kind: 'clean-up-failed', cause: messageOf(error) } });
  }
}

/** Making the first request shows if there is none, or if a template has too few documents. */
async function requireDocuments(dataset: BulkSpec['dataset'], seed: number): Promise<void> {
  if (dataset.kind === 'module') await loadTypeScript();
  await firstRequestOf(dataset, { seed });
}

interface Session {
  readonly reaper: Reaper;
  readonly databases: BulkDatabases | null;
  readonly indices: ArmIndices | null;
  readonly load: LoadGenerator;
}

async function oneRound(
  run: BulkLoadRun,
  options: BulkLoadOptions,
  session: Session,
  round: number,
): Promise<BulkRound> {
  const { variant } = run;
  const { reaper, databases } = session;
  const { signal } = options;
  signal.throwIfAborted();
  options.emit({ kind: 'round-started', round, rounds: run.rounds, passes: 0, leftMs: null });
  const database = (await databases?.make(round)) ?? null;
  const link = database && (await openLink({ variant, databaseUrl: database.url, reaper, signal }));
  const served = await serveLoad(run, options, session, { round, link }).finally(() => link?.close());
  const check = database === null ? null : await checkBulk(run.spec, database.url, served.result.bulk);
  await databases?.drop(round);
  return { round, ...served, check, treatment: database?.treatment ?? [] };
}

interface Way {
  readonly round: number;
  /** Null where the database is not the bench's. */
  readonly link: OpenedLink | null;
}

/** Starts the service at the end of the link, loads through it, and ends it. */
async function serveLoad(
  run: BulkLoadRun,
  options: BulkLoadOptions,
  { reaper, indices, load }: Session,
  { round, link }: Way,
): Promise<Pick<BulkRound, 'result' | 'link'>> {
  const { target, variant, folder } = run;
  const { emit, signal } = options;
  const service = await startVariant({
    target,
    variant,
    databaseUrl: link?.url ?? null,
    search: indices && { url: indices.url, indexPrefix: indices.prefixOf(`round${round}`) },
    reaper,
    logFile: folder.serviceLog(round),
    signal,
  });
  try {
    const reading = (await link?.verify()) ?? {};
    for (const finding of linkFindings(variant, reading))
      if (isWarned(finding)) emit({ kind: 'warning', warning: { kind: 'examined', finding } });
    const result = await loadInto(run, options, { service, load, round, link });
    return { result, ...(Object.keys(reading).length > 0 && { link: reading }) };
  } finally {
    const { killedAfterMs: afterMs, killed } = await service.stop();
    const event = { kind: 'service-killed', arm: variant.name, ...(killed && { processes: killed }) } as const;
    if (afterMs !== null) emit({ ...event, afterMs });
  }
}

interface Loading extends Way {
  readonly service: StartedTarget;
  readonly load: LoadGenerator;
}

function loadInto(
  run: BulkLoadRun,
  options: BulkLoadOptions,
  { service, load, round, link }: Loading,
): Promise<BulkResult> {
  const { spec, seed, timeoutMs, variant, folder } = run;
  const { emit, signal, onStart } = options;
  const job = {
    ...addressOf(service),
    spec,
    seed: seedOf(seed, round),
    timeoutMs,
    failuresFile: folder.failures,
    labels: { round, variant: variant.name },
  };
  onStart();
  return whileServing(
    { clock: systemClock, signal, services: [{ name: variant.name, target: service, link }] },
    async (until) => {
      const stream = await load.openBulk(job, { signal: until });
      const onProgress = (progress: BulkProgress): void => emit({ kind: 'bulk-progress', progress });
      // A turn that fails has ended its stream.
      await stream.turn(Number.POSITIVE_INFINITY, { signal: until, onProgress });
      return stream.close();
    },
  );
}
