import { formatShare } from '../../base/units.ts';
import { rough } from '../format.ts';
import { type MetricAlias, type ProbeValues, probeValue } from '../read/metrics/metric-aliases.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { probeAverages } from '../verdicts/compare-probes.ts';
import { cellsOf } from '../verdicts/contrasts.ts';
import { cpuLimitUse } from './cpu-limit.ts';
import { poolerUses } from './pooler.ts';
import { factsOf, type SaturationFacts } from './saturation-facts.ts';
import { LEAST_QUEUE, sharedConnection, WITHOUT_QUEUE } from './shared-connection.ts';

/**
 * Resources that can limit throughput. Causes stand before what they fill up: while Postgres is out of CPU its clients
 * hold their connections longer, so the pool is full too. A generator that is the limit makes the rest look idle.
 */
const resources = [
  'cpu limit',
  'generator',
  'network',
  'shared connection',
  'locks',
  'io',
  'postgres cpu',
  'opensearch cpu',
  'service event loop',
  'service cpu',
  'machine cpu',
  'pooler cpu',
  'pooler',
  'pool',
] as const;

export type Resource = (typeof resources)[number];

/** How much of a resource was used under load. */
export interface ResourceUse {
  readonly resource: Resource;
  /** 0 (idle) to 1 (at its limit). */
  readonly utilisation: number;
  /** In words, with the numbers that it comes from. */
  readonly text: string;
}

export interface Saturation {
  /** Nearest its limit. */
  readonly resource: Resource;
  readonly utilisation: number;
  /** True where it was so near that it was the limit; if not, nothing that is measured was. */
  readonly isLimit: boolean;
  /** `service event loop 97 % busy, Postgres 0.4 of 2 cores, pool 9.8 of 10 taken`: the nearest first. */
  readonly text: string;
  /** Everything that is known, in the order of the text. */
  readonly uses: readonly ResourceUse[];
}

/** From here on waiting times grow so steeply with use that more load brings little more throughput. */
export const NEAR_LIMIT = 0.85;
/** Less CPU of other programs than this, of all there is, explains nothing. */
const LEAST_OTHERS = 0.1;
/** Less stolen CPU time than this, of all there is, is not worth a word. */
const LEAST_STOLEN = 0.01;
/** A thread that has its CPU waits for less: this much is missing where it seems full and is not (1 - NEAR_LIMIT). */
const LEAST_WAITED = 0.1;

/** The saturation of one arm under one load level. */
export interface CellSaturation extends Saturation, ArmCell {
  /** Set where a finding names it, however full other things are. */
  readonly byFinding?: true;
}

/** Which resource was nearest its limit in each cell, from the means of its rounds; none where no probe says anything. */
export function saturationOfCells(data: RunData, cpuCount: number): CellSaturation[] {
  return cellsOf(data).flatMap((cell) => {
    const generatorUtilisation = data.merged([cell])?.generatorUtilisation ?? null;
    const values = probeAverages(data, cell);
    if (Object.keys(values).length === 0) return [];
    const found = saturationOf({ values, cpuCount, generatorUtilisation, ...factsOf(data, [cell], cpuCount) });
    return found === null ? [] : [{ ...cell, ...found }];
  });
}

/**
 * True if the CPU of service and Postgres was seen, as far as there is a Postgres that shows its waits. If not, what is
 * nearest its limit among the rest says nothing.
 */
export function sawCpus({ uses }: Pick<Saturation, 'uses'>): boolean {
  const has = (...wanted: readonly Resource[]): boolean => uses.some(({ resource }) => wanted.includes(resource));
  return has('service cpu', 'service event loop') && (has('postgres cpu') || !has('locks'));
}

/** Which resource was nearest its limit; null where nothing is known. Two near their limits: the one that fills the other. */
export function saturationOf(facts: SaturationFacts): Saturation | null {
  const known = [
    cpuLimitUse(facts),
    generatorUse(facts),
    shareUse(facts, 'network', 'networkShare', (share) => `network ${percent(share)} used`),
    lockUse(facts),
    ioUse(facts),
    cpuUse(facts, 'postgres cpu'),
    cpuUse(facts, 'opensearch cpu'),
    eventLoopUse(facts),
    cpuUse(facts, 'service cpu'),
    machineUse(facts),
    ...poolerUses(facts),
    poolUse(facts),
  ].flatMap((use) => use ?? []);
  const shared = sharedConnection(facts, known);
  const place = (use: ResourceUse): number => resources.indexOf(use.resource);
  const uses = [...known, ...(shared === null ? [] : [shared])].sort((a, b) => place(a) - place(b));
  const byUse = [...uses].sort((a, b) => b.utilisation - a.utilisation);
  const nearest = uses.find(({ utilisation }) => utilisation >= NEAR_LIMIT) ?? byUse[0];
  if (nearest === undefined) return null;
  const ordered = [nearest, ...byUse.filter((use) => use !== nearest)];
  return {
    resource: nearest.resource,
    utilisation: nearest.utilisation,
    isLimit: nearest.utilisation >= NEAR_LIMIT,
    text: ordered.map(({ text }) => text).join(', '),
    uses: ordered,
  };
}

/** One process, so full at one core whatever the machine has. */
function generatorUse({ values, generatorUtilisation }: SaturationFacts): ResourceUse | null {
  const known = [generatorUtilisation, probeValue(values, 'generatorThreadCores')].flatMap((one) => one ?? []);
  if (known.length === 0) return null;
  const utilisation = Math.min(1, Math.max(...known));
  return { resource: 'generator', utilisation, text: `load generator ${percent(utilisation)} busy` };
}

function shareUse(
  { values }: SaturationFacts,
  resource: Resource,
  name: MetricAlias,
  describe: (share: number) => string,
): ResourceUse | null {
  const share = probeValue(values, name);
  return share === null ? null : { resource, utilisation: Math.min(1, share), text: describe(share) };
}

/** A wait counts in proportion where less than one connection is busy on average. */
function waitUse({ values }: SaturationFacts, resource: Resource, share: number, what: string): ResourceUse {
  const busy = probeValue(values, 'busyConnections') ?? 1;
  const text = `${what} (${percent(share)} of busy connections wait for ${resource === 'locks' ? 'one' : 'it'})`;
  return { resource, utilisation: Math.min(1, share) * Math.min(1, busy), text };
}

/**
 * One connection holds the lock that the others wait for: of N busy connections at most (N - 1) / N wait, half of two.
 * That is the maximum.
 */
function lockUse(facts: SaturationFacts): ResourceUse | null {
  const heavy = probeValue(facts.values, 'lockWaitShare');
  if (heavy === null) return null;
  const light = lightWaits(facts).locks;
  const use = waitUse(facts, 'locks', heavy + light, light > heavy ? 'lightweight locks' : 'locks');
  const busy = probeValue(facts.values, 'busyConnections') ?? 1;
  const others = busy / Math.max(busy - 1, busy / 2);
  return { ...use, utilisation: Math.min(1, use.utilisation * (busy > 1 ? others : 1)) };
}

/**
 * Shares of the busy connections that wait for lightweight locks, Postgres's own. A session that waits for WALWrite waits
 * until another has written the log: for IO.
 */
function lightWaits({ values, walWriteShare = 0 }: SaturationFacts): { readonly locks: number; readonly io: number } {
  const share = probeValue(values, 'lightLockWaitShare') ?? 0;
  return { locks: (1 - walWriteShare) * share, io: walWriteShare * share };
}

/** IO waits of Postgres where it shows them, else of the whole machine, where other processes may have waited. */
function ioUse(facts: SaturationFacts): ResourceUse | null {
  const share = probeValue(facts.values, 'ioWaitShare');
  if (share !== null) return waitUse(facts, 'io', share + lightWaits(facts).io, 'IO');
  return shareUse(
    facts,
    'io',
    'ioPressureShare',
    (one) => `IO (some process waits for it ${percent(one)} of the time)`,
  );
}

const roles = {
  'postgres cpu': ['Postgres', 'postgresCores'],
  'opensearch cpu': ['OpenSearch', 'openSearchCores'],
  'service cpu': ['service', 'serviceCores'],
} as const;

function cpuUse(
  { values, cpuCount, instances = 1, openSearchCores }: SaturationFacts,
  resource: keyof typeof roles,
): ResourceUse | null {
  const [name, own] = roles[resource];
  const isShared = resource === 'opensearch cpu' && openSearchCores !== undefined;
  const cores = isShared ? openSearchCores : probeValue(values, own);
  if (cores === null) return null;
  const who = resource === 'service cpu' && instances > 1 ? `${instances} instances of the service` : name;
  const text = `${who} ${rough(cores)} of ${cpuCount} cores`;
  return { resource, utilisation: Math.min(1, cores / cpuCount), text };
}

/** Full where no process alone is: load generator, service and Postgres share its cores. */
function machineUse(facts: SaturationFacts): ResourceUse | null {
  const { cores, cpuCount } = facts;
  const share = machineShare(facts);
  if (share === null) return null;
  const others = cores?.others ?? 0;
  const stolen = stolenShare(facts.values);
  const notes = [
    ...(others >= LEAST_OTHERS * cpuCount ? [`${rough(others)} by others than the run`] : []),
    ...(stolen >= LEAST_STOLEN ? [`${percent(stolen)} of CPU time was stolen and does not count`] : []),
  ];
  const text = `all ${cpuCount} cores ${percent(share)} busy${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  return { resource: 'machine cpu', utilisation: Math.min(1, share), text };
}

/**
 * The machine while the arm was under load, where its cores are known, else in the whole pass: of the CPU time that it
 * had. Time that the hypervisor took is no one's, and a machine is as full without it.
 */
function machineShare({ values, cores, cpuCount }: SaturationFacts): number | null {
  const inLoad = cores && (cores.own + cores.others + cores.rest) / cpuCount;
  const used = inLoad ?? probeValue(values, 'machineCpuShare');
  const had = 1 - stolenShare(values);
  return used === null || had <= 0 ? used : used / had;
}

function stolenShare(values: ProbeValues): number {
  return probeValue(values, 'stolenShare') ?? 0;
}

/** True where the service was often ready and had no CPU. Where that is unknown, where the machine had none left. */
function waitsForCpu(facts: SaturationFacts): boolean {
  const waited = probeValue(facts.values, 'serviceThreadWaited');
  return waited === null ? (machineShare(facts) ?? 0) >= NEAR_LIMIT : waited >= LEAST_WAITED;
}

/** True where all CPUs of the machine were in use; false where no probe shows it. */
export function isMachineFull({ use }: { use(resource: Resource): number | null }): boolean {
  return (use('machine cpu') ?? 0) >= NEAR_LIMIT;
}

/**
 * A single thread is full at one core, whatever the machine has. An event loop that waits for the CPU seems at work
 * meanwhile: there it is as full as the CPU that it had. Of several instances the busiest counts.
 */
function eventLoopUse(facts: SaturationFacts): ResourceUse | null {
  const { values, instances = 1 } = facts;
  const resource = 'service event loop';
  const loop = probeValue(values, 'eventLoopShare');
  const thread = probeValue(values, 'serviceThreadCores');
  if (loop === null) {
    if (thread === null) return null;
    return {
      resource,
      utilisation: Math.min(1, thread),
      text: `busiest thread of ${instances > 1 ? `${instances} instances of the service` : 'the service'} ${percent(thread)} busy`,
    };
  }
  const had = waitsForCpu(facts) && thread !== null && thread < loop ? thread : null;
  const name = instances > 1 ? `busiest event loop of ${instances} instances of the service` : resource;
  const text = `${name} ${percent(loop)} busy${had === null ? '' : ` (with ${rough(had)} of a core)`}`;
  return { resource, utilisation: Math.min(1, had ?? loop), text };
}

/** The pools of all instances together, over which the load is dealt evenly; of workers that share a port maybe only one. */
function poolUse({ values, instances = 1, pools = instances, poolSize = null }: SaturationFacts): ResourceUse | null {
  const size = probeValue(values, 'poolSize');
  const taken = probeValue(values, 'poolTaken');
  if (size === null || size <= 0 || taken === null) return null;
  const waiting = probeValue(values, 'poolWaits');
  const queue = waiting !== null && waiting >= 0.1 ? ` (${rough(waiting)} requests wait)` : '';
  const most = waiting === null || waiting >= LEAST_QUEUE ? 1 : WITHOUT_QUEUE;
  const isOne = poolSize !== null && size < poolSize;
  const whose =
    pools > instances
      ? `${isOne ? 'one of ' : ''}${pools} pools`
      : instances > 1
        ? `pools of ${instances} instances`
        : 'pool';
  return {
    resource: 'pool',
    utilisation: Math.min(most, taken / size),
    text: `${whose} ${rough(taken)} of ${rough(size)} taken${queue}`,
  };
}

/** Clocks that are read one after the other may tell a little more than all of the time. */
function percent(share: number): string {
  return formatShare(share < 0.001 ? 0 : Math.min(1, share));
}
