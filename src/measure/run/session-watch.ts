import { dirname } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import type { JournalWriter } from '../../journal/journal.ts';
import { ownsAllData } from '../../journal/link/own-database.ts';
import { sampleService } from '../../journal/sample.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { areOneProcess } from '../../journal/variant-parts.ts';
import { type ConditionsProbe, createConditionsProbe } from '../probe/meter/conditions.ts';
import { SETTLE_MS } from '../probe/meter/database-counters.ts';
import { createDatabaseSampler, type DatabaseSampler } from '../probe/meter/database-sampler.ts';
import { createSliceCounters } from '../probe/meter/slice-counters.ts';
import { createTurnMeter, type TurnMeter } from '../probe/meter/turn-meter.ts';
import type { EmitEvent } from './events.ts';
import { openRoundReach } from './reach/round-reach.ts';
import type { RoundWatch } from './round/round-context.ts';
import { createRunProbes, type RunProbes, type RunProbesOptions } from './round/run-probes.ts';
import type { RunFolder } from './run-folder.ts';
import { whyNoCounters } from './servers/postgres-versions.ts';
import { housekeepingOf } from './servers/session-database.ts';
import type { SessionServers } from './servers/session-servers.ts';
import type { RunWarning } from './warnings.ts';

export interface WatchOptions {
  readonly seed: number;
  readonly scenario: ResolvedScenario;
  readonly folder: RunFolder;
  /** How often pg_stat_database is sampled. */
  readonly intervalMs: number;
  /** Which slices probes see; absent where all. */
  readonly probesSee?: RunProbesOptions['sees'];
  readonly emit: EmitEvent;
}

/** Why pg_stat_database is not attributed to slices; null where it is. */
export function whyUncounted(
  scenario: ResolvedScenario,
  { database }: Pick<SessionServers, 'database'>,
): string | null {
  return areOneProcess(scenario)
    ? 'all settings share one database, between which they are switched'
    : whyNoCounters(database?.versions ?? null);
}

/** Opens every observer of a session, to be closed by its clean-up. */
export async function openWatch(
  options: WatchOptions,
  servers: SessionServers,
  journal: JournalWriter,
): Promise<RoundWatch> {
  const withoutCounters = whyUncounted(options.scenario, servers);
  const { database } = servers;
  const sampler = openSampler(options, servers);
  if (database && withoutCounters !== null) warnTo(options)({ kind: 'no-database-columns', cause: withoutCounters });
  const meter = openMeter(options, servers);
  const probes = options.scenario.probesOff === 'all' ? null : await openProbes(options, servers, journal);
  const counted = withoutCounters === null && database ? database.databases : null;
  return {
    conditions: conditionsOf(options, servers),
    counters:
      counted &&
      createSliceCounters({
        reader: counted.reader,
        has: counted.has,
        clock: systemClock,
        settleMs: SETTLE_MS,
        write: (record) => journal.append(record),
      }),
    countersReader: counted?.reader ?? null,
    meter,
    sampler,
    probes,
    idleCpuShares: new Map(),
    coldCpuShares: new Map(),
    laterArms: new Set(),
    reach: database && openRoundReach({ ...options, ...servers }),
    dryArms: new Set(),
  };
}

function warnTo({ emit }: WatchOptions): (warning: RunWarning) => void {
  return (warning) => emit({ kind: 'warning', warning });
}

function openSampler(options: WatchOptions, { database, cleanup }: SessionServers): DatabaseSampler | null {
  if (database === null) return null;
  const { folder, intervalMs } = options;
  const { reader } = database.databases;
  const sampler = createDatabaseSampler({ file: folder.samples, intervalMs, reader, onWarning: warnTo(options) });
  cleanup.add(() => sampler.close());
  return sampler;
}

function openMeter({ scenario }: WatchOptions, { cleanup }: SessionServers): TurnMeter | null {
  if (scenario.target.kind === 'url') return null;
  const meter = createTurnMeter();
  cleanup.add(() => meter.release());
  return meter;
}

function conditionsOf({ scenario }: WatchOptions, servers: SessionServers): ConditionsProbe {
  const { reaper, generator, database, search } = servers;
  return createConditionsProbe({
    trees: () => [
      reaper.pid,
      generator.pid,
      ...ownPids((database?.servers.running() ?? []).map(({ postgres }) => postgres)),
      ...ownPids(search ? [search] : []),
    ],
    knowsService: ownsAllData(scenario) && database?.seesProcesses !== false && search?.pid !== null,
    housekeeping: database && housekeepingOf(database.servers),
  });
}

function ownPids(servers: readonly { readonly pid: number | null }[]): number[] {
  return servers.flatMap(({ pid }) => pid ?? []);
}

async function openProbes(
  options: WatchOptions,
  { database, search, generator, cleanup }: SessionServers,
  journal: JournalWriter,
): Promise<RunProbes> {
  const { scenario, folder, probesSee } = options;
  const { target, variants, probesOff } = scenario;
  const probes = await createRunProbes({
    context: {
      generatorPid: generator.pid,
      boundedMs: scenario.load.forMs,
      opensearch: search && { url: search.url, pid: search.pid },
      hasPooler: variants.some(({ pooler }) => pooler !== undefined),
      ...(target.kind !== 'url' && target.metrics !== undefined && { metrics: target.metrics }),
      ...(target.kind === 'service' && { sessionSettings: sampleService.sessionSettings }),
      samplesFolder: dirname(folder.samples),
      onWarning: warnTo(options),
    },
    servers: database?.servers ?? null,
    ...(probesSee && { sees: probesSee }),
    off: probesOff === undefined || probesOff === 'all' ? [] : probesOff,
    shared: areOneProcess(scenario),
    write: (record) => journal.append(record),
  });
  cleanup.add(() => probes.close());
  return probes;
}
