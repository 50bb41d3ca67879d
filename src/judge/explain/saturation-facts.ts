import { databaseConnectionsIn } from '../../journal/link/database-connections.ts';
import { closedLoopClients } from '../../journal/load-level.ts';
import { variantNamed } from '../../journal/scenario-record.ts';
import { instancesOf } from '../../journal/service/instances.ts';
import type { CellDetail } from '../read/cells/cell-detail.ts';
import { poolsOf } from '../read/held-pools.ts';
import type { ProbeValues } from '../read/metrics/metric-aliases.ts';
import { throttledShareOf } from '../read/rounds/disturbance.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { sum } from '../stats/moments.ts';
import { poolerOf } from './pooler.ts';

/** All that the uses of a cell are read from. */
export interface SaturationFacts {
  readonly values: ProbeValues;
  /** CPUs of the machine that all of it ran on. */
  readonly cpuCount: number;
  /** The load generator's event loop utilisation (0..1). */
  readonly generatorUtilisation: number | null;
  /** How many requests are under way at any time, of a load of requests. */
  readonly clients?: number;
  /** The pool's size by the scenario; null where it does not say. */
  readonly poolSize?: number | null;
  /** How many connections the pooler before the database may have; absent where there is none. */
  readonly poolerSize?: number;
  /** How many processes of the service there are; 1 where absent. */
  readonly instances?: number;
  /** How many pools it has; as many as instances where absent. */
  readonly pools?: number;
  /** Cores that its arms had under load; absent where the CPU of the machine was not seen. */
  readonly cores?: SharedCores;
  /** OpenSearch's part for its arms; null where it did nothing for them. */
  readonly openSearchCores?: number | null;
  /** The share of periods in which pgsweep's CPU limit was used up under its load; null or absent where unknown. */
  readonly throttledShare?: number | null;
  /** The part of the waits for lightweight locks that waits until another session has written the log; 0 where absent. */
  readonly walWriteShare?: number;
}

/** Cores under load. Each second of a core is in one of the parts. */
export interface SharedCores {
  /** Work for the arm alone: service, Postgres's sessions, pooler, load generator, and OpenSearch's part. */
  readonly own: number;
  /** Programs that are not the run's. */
  readonly others: number;
  /** The rest, the same for all arms of a pass: the bench, the kernel, Postgres beside its sessions. */
  readonly rest: number;
}

/** Facts of a cell beside its values of probes: its clients, its pools, and its cores. `arms`: of one cell. */
export function factsOf(
  data: RunData,
  arms: readonly ArmCell[],
  cpuCount: number,
): Omit<SaturationFacts, 'values' | 'cpuCount' | 'generatorUtilisation'> {
  const [cell] = arms;
  if (cell === undefined) return {};
  const { cores, openSearch, waits } = data.detail(arms);
  return {
    ...clientsOf(data, cell),
    ...(cores.slices > 0 && { cores: sharedCores(cores, cpuCount) }),
    openSearchCores: openSearch.slices === 0 ? null : openSearch.cores / openSearch.slices,
    walWriteShare: walWriteShare(waits),
    throttledShare: throttledShareOf(data.conditions, cell.load),
  };
}

function sharedCores(
  { slices, own, mean, machineShare, othersShare }: CellDetail['cores'],
  cpuCount: number,
): SharedCores {
  const others = (cpuCount * othersShare) / slices;
  // Readings of processes and of the machine are not of the same moment.
  const rest = Math.max(0, (cpuCount * machineShare - mean) / slices - others);
  return { own: own / slices, others, rest };
}

function walWriteShare(waits: CellDetail['waits']): number {
  const ofLocks = (name: string): number =>
    sum([...waits].flatMap(([event, share]) => (event.startsWith(`LWLock:${name}`) ? [share] : [])));
  return ofLocks('') === 0 ? 0 : ofLocks('WALWrite') / ofLocks('');
}

/** How many clients ask for connections, how many connections there may be, and how many processes they are of. */
function clientsOf(
  data: RunData,
  { variant, load }: Pick<ArmCell, 'variant' | 'load'>,
): Pick<SaturationFacts, 'clients' | 'poolSize' | 'poolerSize' | 'instances' | 'pools'> {
  const { scenario } = data;
  const clients = closedLoopClients(load);
  const own = variantNamed(scenario, variant);
  const pooler = poolerOf(scenario, variant);
  const pools = poolsOf(data, variant);
  const known = {
    ...(own.instances !== undefined && { instances: own.instances }),
    pools,
    ...(pooler !== null && { poolerSize: pooler.size }),
  };
  if (clients === null) return known;
  const size = databaseConnectionsIn(scenario, own);
  return { clients, poolSize: size === null ? null : (size / instancesOf(own)) * pools, ...known };
}
