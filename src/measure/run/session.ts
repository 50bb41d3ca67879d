import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { isLoopback } from '../../base/loopback.ts';
import { leftLedgers } from '../../base/process/ledger.ts';
import { cleanUpAfter } from '../../base/process/reaper.ts';
import { maskKnownTexts } from '../../base/secrets.ts';
import { type Journal, type JournalWriter, openJournal } from '../../journal/journal.ts';
import { ownsAllData } from '../../journal/link/own-database.ts';
import { type CountersRecord, JOURNAL_VERSION, type RunRecord, type StopReason } from '../../journal/records.ts';
import { recordedSecrets } from '../../journal/run/secret-leaves.ts';
import type { ShardRecord } from '../../journal/run/shard-records.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { sampleSessionSettings } from '../../sample/model/service-facts.ts';
import { openLink } from '../link/open-link.ts';
import { firstUnique, setAside } from '../load/unique-numbers.ts';
import { armsOf } from '../plan/arms.ts';
import { expectedLevels } from '../plan/capacity-levels.ts';
import { estimate } from '../plan/estimate.ts';
import { isSwitchedLive } from '../plan/live-blocks.ts';
import { scenarioWarnings } from '../plan/scenario-warnings.ts';
import { createConditionsProbe } from '../probe/meter/conditions.ts';
import { SETTLE_MS } from '../probe/meter/database-counters.ts';
import { createDatabaseSampler } from '../probe/meter/database-sampler.ts';
import { createSliceCounters, type SliceCounters } from '../probe/meter/slice-counters.ts';
import { createTurnMeter } from '../probe/meter/turn-meter.ts';
import { loginForLeft } from '../stack/external/postgres.ts';
import type { Stack, StackChoice } from '../stack/stack.ts';
import { startTarget } from '../target/start-target.ts';
import { switchService } from '../target/switch-service.ts';
import type { Finding } from './doctor/finding.ts';
import { requireK6 } from './doctor/k6.ts';
import { requirePooler } from './doctor/pooler.ts';
import type { EmitEvent } from './events.ts';
import { lastGuesses, lastLeft, lastLengths, roundsToRun } from './last-records.ts';
import { examineShortly, preflight } from './preflight/preflight.ts';
import { gatherProvenance, requireSameData, sourcesOf } from './provenance.ts';
import { createRunProbes, type RunProbes, type RunProbesOptions } from './round/run-probes.ts';
import { createTurnSchedule } from './round/turn-schedule.ts';
import { type RunFolder, writeRunFile } from './run-folder.ts';
import { runSweep, type StopDecision } from './run-sweep.ts';
import { whyNoCounters } from './servers/postgres-versions.ts';
import { housekeepingOf } from './servers/session-database.ts';
import { type SessionServers, withServers } from './servers/session-servers.ts';
import { resumedChoice } from './servers/session-stack.ts';
import type { RunWarning } from './warnings.ts';

export interface SessionOptions {
  readonly scenario: ResolvedScenario;
  readonly stackChoice: StackChoice;
  readonly seed: number;
  readonly quick: boolean;
  readonly folder: RunFolder;
  /** How often pg_stat_database is sampled. */
  readonly intervalMs: number;
  /** The journal of the run to go on with; null for a new run. */
  readonly resume: Journal | null;
  readonly decideStop: (round: number) => StopDecision;
  /** Set where no arm leaves, and those that left before are measured again. */
  readonly allStay?: boolean;
  /** Which share of a plan the run is; absent where it is all of it. */
  readonly shard?: ShardRecord;
  /** Which slices probes see; absent where all. */
  readonly probesSee?: RunProbesOptions['sees'];
  /** Rounds whose arms have whole slices, to hold them against turns; absent where none. */
  readonly wholeSlicesIn?: (round: number) => boolean;
  readonly emit: EmitEvent;
  /** Aborted by Ctrl-C, with the reason to end with. */
  readonly signal: AbortSignal;
}

/**
 * One sitting of a run: boots the stack, loads the data set once into a template, writes the journal's head, runs the
 * rounds, and takes everything down again. Throws PgsweepError; whatever was finished is in the journal.
 */
export async function runSession(options: SessionOptions): Promise<StopReason> {
  const startedAtMs = systemClock.nowMs();
  const { scenario, resume, emit, folder, seed } = options;
  await requireK6(scenario);
  const poolerVersion = await requirePooler(scenario);
  const report = warningsTo(emit);
  // After the line that says which stack it is, which is the first.
  const examine = async (stack: Pick<Stack, 'kind'>): Promise<void> => {
    for (const warning of scenarioWarnings(scenario)) emit({ kind: 'warning', warning });
    for (const finding of await examineShortly(scenario, stack, options.signal)) report(finding);
  };
  const stackChoice = resume ? resumedChoice(options.stackChoice, resume.run.provenance) : options.stackChoice;
  if (resume !== null) await cleanUpAfterRun({ ...options, stackChoice });
  const uniqueFrom = firstUnique(scenario, resume);
  const counting = { ...scenario, load: { ...scenario.load, uniqueFrom } };
  let writeSetAside = (_below: number): void => {};
  const onSetAside = (below: number): void => writeSetAside(below);
  // Of an old run a proxy made them.
  const distanceBefore = resume ? (resume.run.provenance.distanceBy ?? 'proxy') : undefined;
  const before = { distanceBefore, ...(resume && { ownServersBefore: resume.run.provenance.ownServers ?? null }) };
  const wanted = { ...options, ...before, scenario: counting, stackChoice, examine, onSetAside };
  return withServers(wanted, async (servers) => {
    const { database, cleanup } = servers;
    await preflight({ ...servers, scenario, seed, openLink, startTarget, folder: folder.path, emit, report });
    const journal = openJournal(folder.journal);
    cleanup.add(() => journal.close());
    const withoutCounters = isSwitchedLive(scenario)
      ? 'all settings share one database, between which they are switched'
      : whyNoCounters(database?.versions ?? null);
    const session = { ...servers, journal, withoutCounters, startedAtMs, poolerVersion };
    await writeHead(options, session, systemClock.nowMs() - startedAtMs);
    journal.append({ type: 'unique', below: setAside(uniqueFrom) });
    writeSetAside = (below) => writeAside(journal, below);
    const reason = await sweep(options, session);
    journal.append({ type: 'end', at: systemClock.isoNow(), reason });
    emit({ kind: 'run-ended', reason });
    return reason;
  });
}

/** Where the disk has no room, the next record of the round says so. */
function writeAside(journal: JournalWriter, below: number): void {
  try {
    journal.append({ type: 'unique', below });
  } catch {
    // A number would be repeated only if the run went on from here.
  }
}

/** Ends and removes what the sitting before left, where it and its guard were killed. */
async function cleanUpAfterRun({ folder, stackChoice, emit }: SessionOptions): Promise<void> {
  for (const left of leftLedgers(folder.path)) {
    for (const found of await cleanUpAfter(left, loginForLeft(stackChoice.postgresUrl)))
      emit({ kind: 'preparing', message: `of the run before: ${found}` });
  }
}

/** A run begins in spite of what may only make its numbers noisier. What is found twice is said once. */
function warningsTo(emit: EmitEvent): (finding: Finding) => void {
  const told = new Set<string>();
  return (finding) => {
    if (finding.state === 'ok' || told.has(finding.found)) return;
    told.add(finding.found);
    emit({ kind: 'warning', warning: { kind: 'examined', finding } });
  };
}

async function writeHead(
  options: SessionOptions,
  { journal, stack: { kind, reason }, distance, database, search, withoutCounters, poolerVersion }: SweepResources,
  setUpMs: number,
): Promise<void> {
  const { scenario, seed, quick, folder, resume, shard } = options;
  const dataset = database?.dataset.record ?? null;
  const stack = { reason, postgres: database?.postgres ?? null, poolerVersion, distance, search };
  const provenance = maskKnownTexts(await gatherProvenance(sourcesOf(scenario), stack, dataset));
  const { masked, secrets } = recordedSecrets(scenario);
  if (resume) {
    requireSameData(resume.run.provenance.dataset, dataset);
    const machine = shard && { machine: shard.machine };
    journal.append({ type: 'resume', at: systemClock.isoNow(), provenance, ...secrets, ...machine });
    return;
  }
  const run: RunRecord = {
    type: 'run',
    version: JOURNAL_VERSION,
    id: randomUUID(),
    startedAt: systemClock.isoNow(),
    seed,
    quick,
    scenario: masked,
    provenance,
    ...secrets,
    ...(shard && { shard }),
    withoutCounters,
    setUpMs,
  };
  writeRunFile(folder, run, estimate(scenario, kind));
  journal.append(run);
}

interface SweepResources extends SessionServers {
  readonly journal: JournalWriter;
  /** Why pg_stat_database is not attributed to slices; null where it is. */
  readonly withoutCounters: string | null;
  /** The version of PgBouncer; null where the scenario has none. */
  readonly poolerVersion: string | null;
  readonly startedAtMs: number;
}

/** Whether load on some arm leaves the machine. */
function loadGoesOverNetwork({ target, variants }: ResolvedScenario): boolean {
  if (target.kind !== 'url') return false;
  return [target.url, ...variants.flatMap(({ url }) => url ?? [])].some((url) => !isLoopback(url));
}

function ownPids(servers: readonly { readonly pid: number | null }[]): number[] {
  return servers.flatMap(({ pid }) => pid ?? []);
}

async function sweep(options: SessionOptions, resources: SweepResources): Promise<StopReason> {
  const { scenario, seed, quick, folder, emit, resume, decideStop, intervalMs } = options;
  const { reaper, cleanup, signal, journal, database, search, indices, load, withoutCounters, startedAtMs } = resources;
  const arms = armsOf(scenario);
  emit({
    kind: 'run-started',
    folder: folder.path,
    arms: arms.length,
    cells: scenario.variants.length * expectedLevels(scenario.load).length,
    ...(options.shard && { shard: { ...options.shard, rounds: scenario.rounds.max } }),
  });
  const onWarning = (warning: RunWarning): void => emit({ kind: 'warning', warning });
  const sampler =
    database &&
    createDatabaseSampler({ file: folder.samples, intervalMs, reader: database.databases.reader, onWarning });
  if (sampler) cleanup.add(() => sampler.close());
  if (database && withoutCounters !== null) onWarning({ kind: 'no-database-columns', cause: withoutCounters });
  const meter = scenario.target.kind === 'url' ? null : createTurnMeter();
  if (meter !== null) cleanup.add(() => meter.release());
  const probes = scenario.probesOff === 'all' ? null : await openProbes(options, resources, load.pid);
  return runSweep({
    scenario,
    arms,
    seed,
    quick,
    folder: folder.path,
    reaper,
    clock: systemClock,
    openLink,
    startTarget,
    switchService,
    load,
    journal,
    emit,
    signal,
    conditions: createConditionsProbe({
      trees: () => [
        reaper.pid,
        load.pid,
        ...ownPids((database?.servers.running() ?? []).map(({ postgres }) => postgres)),
        ...ownPids(search ? [search] : []),
      ],
      knowsService: ownsAllData(scenario) && database?.seesProcesses !== false && search?.pid !== null,
      housekeeping: database && housekeepingOf(database.servers),
    }),
    ...(scenario.load.capacity !== undefined && {
      search: { guesses: resume && lastGuesses(resume), levels: [] },
    }),
    schedule: createTurnSchedule(scenario, arms.length, resume && lastLengths(resume)),
    aloneShares: new Map(),
    ...(options.wholeSlicesIn && { wholeSlicesIn: options.wholeSlicesIn }),
    overNetwork: loadGoesOverNetwork(scenario),
    databases: database?.databases ?? null,
    servers: database?.servers ?? null,
    countersReader: withoutCounters === null ? (database?.databases.reader ?? null) : null,
    meter,
    indices,
    counters: withoutCounters === null ? countersOf(resources) : null,
    sampler,
    probes,
    ...roundsToRun(resume, options.shard),
    ...(resume && { leftBefore: lastLeft(resume) }),
    ...(options.allStay && { allStay: true }),
    decideStop,
    startedAtMs,
  });
}

function countersOf({ database, journal }: SweepResources): SliceCounters | null {
  if (database === null) return null;
  const { reader, has } = database.databases;
  const write = (record: CountersRecord): void => journal.append(record);
  return createSliceCounters({ reader, has, clock: systemClock, settleMs: SETTLE_MS, write });
}

async function openProbes(
  { scenario, folder, emit, probesSee }: SessionOptions,
  { journal, database, search, cleanup }: SweepResources,
  generatorPid: number,
): Promise<RunProbes> {
  const { target, variants, probesOff } = scenario;
  const probes = await createRunProbes({
    context: {
      generatorPid,
      ...(scenario.load.forMs !== undefined && { boundedMs: scenario.load.forMs }),
      opensearch: search && { url: search.url, pid: search.pid },
      hasPooler: variants.some(({ pooler }) => pooler !== undefined),
      ...(target.kind !== 'url' && target.metrics !== undefined && { metrics: target.metrics }),
      ...(target.kind === 'service' && { sessionSettings: sampleSessionSettings }),
      samplesFolder: dirname(folder.samples),
      onWarning: (warning) => emit({ kind: 'warning', warning }),
    },
    servers: database?.servers ?? null,
    ...(probesSee && { sees: probesSee }),
    off: probesOff === undefined || probesOff === 'all' ? [] : probesOff,
    shared: isSwitchedLive(scenario),
    write: (record) => journal.append(record),
  });
  cleanup.add(() => probes.close());
  return probes;
}
