import { cellsOf } from './compare.ts';
import { probeAverages } from './compare-probes.ts';
import type { ArmCell, Observations } from './observations.ts';
import { type ProbeName, probeValue } from './probe-names.ts';
import type { ProbeValues } from './probe-values.ts';

/**
 * What can be the limit of throughput. Causes stand before what they fill up: while Postgres is out of CPU its clients
 * hold their connections longer, so the pool is full too; and a generator that is the limit makes the rest look idle.
 */
const resources = [
  'generator',
  'network',
  'locks',
  'io',
  'postgres cpu',
  'opensearch cpu',
  'service event loop',
  'service cpu',
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
  /** Whether it was so near that it was the limit; if not, nothing that is measured was. */
  readonly isLimit: boolean;
  /** `service event loop 97 %, Postgres 0.4 of 2 cores, pool 9.8 of 10 busy`: the nearest first. */
  readonly text: string;
  /** Of everything that is known, in the order of the text. */
  readonly uses: readonly ResourceUse[];
}

export interface SaturationFacts {
  readonly values: ProbeValues;
  /** Of the machine that all of it ran on. */
  readonly cpuCount: number;
  /** The load generator's event loop utilisation (0..1). */
  readonly generatorUtilisation: number | null;
}

/** From here on waiting times grow so steeply with use that more load brings little more throughput. */
const NEAR_LIMIT = 0.85;
/** An event loop at work for longer than it had CPU, by more than this: it waited for CPU. */
const STARVED = 0.8;

/** The saturation of one arm under one load level. */
export interface CellSaturation extends Saturation, ArmCell {}

/** Which resource was nearest its limit in each cell, from the means of its rounds; none where no probe says anything. */
export function saturationOfCells(observations: Observations, cpuCount: number): CellSaturation[] {
  return cellsOf(observations).flatMap((cell) => {
    const generatorUtilisation = observations.merged([cell])?.generatorUtilisation ?? null;
    const values = probeAverages(observations, cell);
    if (Object.keys(values).length === 0) return [];
    const found = saturationOf({ values, cpuCount, generatorUtilisation });
    return found === null ? [] : [{ ...cell, ...found }];
  });
}

/** Which resource was nearest its limit; null where nothing is known. Two near their limits: the one that fills the other. */
export function saturationOf(facts: SaturationFacts): Saturation | null {
  const uses = [
    generatorUse(facts),
    shareUse(facts, 'network', 'networkShare', (share) => `network ${percent(share)}`),
    shareUse(facts, 'locks', 'lockWaitShare', (share) => `${percent(share)} of busy connections wait for locks`),
    ioUse(facts),
    cpuUse(facts, 'postgres cpu'),
    cpuUse(facts, 'opensearch cpu'),
    eventLoopUse(facts),
    cpuUse(facts, 'service cpu'),
    poolUse(facts),
  ].flatMap((use) => use ?? []);
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
  return { resource: 'generator', utilisation, text: `generator ${percent(utilisation)}` };
}

function shareUse(
  { values }: SaturationFacts,
  resource: Resource,
  name: ProbeName,
  describe: (share: number) => string,
): ResourceUse | null {
  const share = probeValue(values, name);
  return share === null ? null : { resource, utilisation: Math.min(1, share), text: describe(share) };
}

/** Of Postgres where it tells, else of the whole machine: whoever waited there was not necessarily the run. */
function ioUse(facts: SaturationFacts): ResourceUse | null {
  return (
    shareUse(facts, 'io', 'ioWaitShare', (share) => `${percent(share)} of busy connections wait for IO`) ??
    shareUse(facts, 'io', 'ioPressureShare', (share) => `IO pressure ${percent(share)}`)
  );
}

const roles = {
  'postgres cpu': ['Postgres', 'postgresCores'],
  'opensearch cpu': ['OpenSearch', 'openSearchCores'],
  'service cpu': ['service', 'serviceCores'],
} as const;

/** A machine whose CPUs are all busy is full for whoever uses most of it, however little that is. */
function cpuUse({ values, cpuCount }: SaturationFacts, resource: keyof typeof roles): ResourceUse | null {
  const [name, own] = roles[resource];
  const cores = probeValue(values, own);
  if (cores === null) return null;
  const users = ['serviceCores', 'postgresCores', 'openSearchCores', 'generatorCores'] as const;
  const all = users.map((one) => probeValue(values, one) ?? 0);
  const machine = cores === Math.max(...all) ? (probeValue(values, 'machineCpuShare') ?? 0) : 0;
  const utilisation = Math.min(1, Math.max(cores / cpuCount, machine));
  const full = machine >= NEAR_LIMIT ? ` (the machine ${percent(machine)})` : '';
  return { resource, utilisation, text: `${name} ${short(cores)} of ${cpuCount} cores${full}` };
}

/**
 * A single thread is full at one core, whatever the machine has. An event loop that others keep from the CPU seems at
 * work meanwhile: then it is the machine that is full, and the loop as full as the CPU that it had.
 */
function eventLoopUse({ values }: SaturationFacts): ResourceUse | null {
  const resource = 'service event loop';
  const loop = probeValue(values, 'eventLoopShare');
  const thread = probeValue(values, 'serviceThreadCores');
  const machine = probeValue(values, 'machineCpuShare') ?? 0;
  if (loop !== null) {
    const isStarved = thread !== null && thread < STARVED * loop && machine >= NEAR_LIMIT;
    const had = isStarved ? `, with ${short(thread)} of a core` : '';
    return {
      resource,
      utilisation: Math.min(1, isStarved ? thread : loop),
      text: `${resource} ${percent(loop)}${had}`,
    };
  }
  if (thread === null) return null;
  return { resource, utilisation: Math.min(1, thread), text: `busiest thread of the service ${percent(thread)}` };
}

/** Little's law: connections held at once = how often one is taken x how long it is held; waiting likewise. */
function poolUse({ values }: SaturationFacts): ResourceUse | null {
  const size = probeValue(values, 'poolSize');
  const busy =
    product(probeValue(values, 'poolHeldPerS'), probeValue(values, 'poolHeldMs')) ?? probeValue(values, 'poolBusy');
  if (size === null || size <= 0 || busy === null) return null;
  const waiting =
    product(probeValue(values, 'poolAcquirePerS'), probeValue(values, 'poolAcquireMs')) ??
    probeValue(values, 'poolWaiting') ??
    0;
  const queue = waiting >= 0.1 ? `, ${short(waiting)} waiting` : '';
  return {
    resource: 'pool',
    utilisation: Math.min(1, busy / size),
    text: `pool ${short(busy)} of ${short(size)} busy${queue}`,
  };
}

function product(perSecond: number | null, milliseconds: number | null): number | null {
  return perSecond === null || milliseconds === null ? null : (perSecond * milliseconds) / 1000;
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(2)));
}
