import { databaseConnectionsIn } from '../../journal/link/database-connections.ts';
import { closedLoopClients, loadKey } from '../../journal/load-level.ts';
import { type LoadLevel, type ResolvedScenario, variantNamed } from '../../journal/scenario-record.ts';
import type { ProbeValues } from '../read/metrics/metric-aliases.ts';
import type { ArmCell, RunData } from '../read/run-data.ts';
import { cellsOf } from '../verdicts/contrasts.ts';
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
  /** CPU of other programs, as a share of all CPU time; absent where that was not seen. */
  readonly foreignCpuShare?: number;
  /** The time that OpenSearch worked for this arm, over the mean of all arms in its passes; absent where unknown. */
  readonly openSearchRatio?: number;
}

/** Facts of a cell beside its values of probes: its clients, and what belongs to others. `arms`: of one cell. */
export function factsOf(
  data: RunData,
  arms: readonly ArmCell[],
  values: ProbeValues,
): Omit<SaturationFacts, 'values' | 'cpuCount' | 'generatorUtilisation'> {
  const [cell] = arms;
  if (cell === undefined) return {};
  const { slices, share } = data.detail(arms).foreignCpu;
  const ratio = openSearchRatio(data, cell.load, values);
  return {
    ...clientsOf(data.scenario, cell),
    ...(slices > 0 && { foreignCpuShare: share / slices }),
    ...(ratio !== null && { openSearchRatio: ratio }),
  };
}

const openSearchTimes = ['index', 'query', 'refresh', 'merge'].map((work) => `opensearch_${work}_time_ms`);

/** The node's CPU is known of a pass alone, of which arms have equal parts; each arm's own indices say how long it worked for it. */
function openSearchRatio(data: RunData, load: LoadLevel, values: ProbeValues): number | null {
  const timeIn = (seen: ProbeValues): number | null => {
    const times = openSearchTimes.flatMap((name) => seen[name] ?? []);
    return times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0);
  };
  const own = timeIn(values);
  if (own === null) return null;
  const cells = cellsOf(data).filter((cell) => loadKey(cell.load) === loadKey(load));
  const all = cells.flatMap((cell) => timeIn(data.merged([cell])?.probes ?? {}) ?? []);
  const sum = all.reduce((total, ms) => total + ms, 0);
  return sum === 0 ? 0 : (own * all.length) / sum;
}

/** How many clients ask for connections, how many connections there may be, and how many processes they are of. */
function clientsOf(
  scenario: ResolvedScenario,
  { variant, load }: Pick<ArmCell, 'variant' | 'load'>,
): Pick<SaturationFacts, 'clients' | 'poolSize' | 'poolerSize' | 'instances'> {
  const clients = closedLoopClients(load);
  const own = variantNamed(scenario, variant);
  const pooler = poolerOf(scenario, variant);
  const known = {
    ...(own.instances !== undefined && { instances: own.instances }),
    ...(pooler !== null && { poolerSize: pooler.size }),
  };
  if (clients === null) return known;
  return { clients, poolSize: databaseConnectionsIn(scenario, own), ...known };
}
