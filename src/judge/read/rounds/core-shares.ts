import { groupBy } from '../../../base/group-by.ts';
import type { PassRecord } from '../../../journal/pass-records.ts';
import type { ProbeRecord, SliceRecord } from '../../../journal/records.ts';
import { sum } from '../../stats/moments.ts';
import { type MetricAlias, probeValue } from '../metrics/metric-aliases.ts';

/** CPU of an arm in a pass, as it was seen. */
export interface SeenCpu {
  readonly loadMs: number;
  /** Cores of its service, its Postgres, its pooler and the load generator, per second of its load. */
  readonly own: number;
  /** Cores of the OpenSearch node that arms share, per second of the pass, and the time that this arm's indices worked. */
  readonly openSearch: number | null;
  readonly openSearchMs: number | null;
  /** CPU time that was used, and by other programs than the run's: shares of all CPU time of the pass. */
  readonly machineShare: number | null;
  readonly othersShare: number | null;
}

/** Cores that an arm had while it was under load. */
export interface ArmCores {
  /** Cores that work for this arm alone, OpenSearch's part for it included. */
  readonly own: number;
  /** Null where there is none, or it did nothing for this arm. */
  readonly openSearch: number | null;
  /** Mean of `own` over the load of all arms in the pass. */
  readonly mean: number;
  /**
   * CPU used under load as a share of all CPUs: of the machine, and of other programs. Null where that was not seen. What
   * the machine used beyond others' and `mean` was for no arm alone, and each has an equal part of it.
   */
  readonly machineShare: number | null;
  readonly othersShare: number | null;
}

/**
 * Shares out what a pass used, each second of a core once: an arm has what its own processes used in its load, OpenSearch by
 * the time that its indices worked, and of the rest as much as every other arm for a second of load. Other programs work
 * between turns, too; what else the machine did is taken to belong to the load.
 */
export function shareCores(arms: readonly SeenCpu[], passMs: number | null): ArmCores[] {
  const loadMs = sum(arms.map((arm) => arm.loadMs));
  if (loadMs <= 0) return [];
  // Of the pass, the share in which some arm was under load.
  const loaded = passMs === null || passMs <= 0 ? 1 : Math.min(1, loadMs / passMs);
  const parts = openSearchParts(arms, loadMs / loaded);
  const own = arms.map((arm, index) => arm.own + (parts[index] ?? 0));
  const mean = sum(own.map((cores, index) => cores * (arms[index]?.loadMs ?? 0))) / loadMs;
  return arms.map(({ machineShare, othersShare }, index) => ({
    own: own[index] ?? 0,
    openSearch: parts[index] ?? null,
    mean,
    machineShare: machineShare === null ? null : (machineShare - (othersShare ?? 0) * (1 - loaded)) / loaded,
    othersShare,
  }));
}

/** Cores of OpenSearch for each arm, per second of its load. What a node did for no index belongs to no arm. */
function openSearchParts(arms: readonly SeenCpu[], passMs: number): (number | null)[] {
  const node = arms.find(({ openSearch }) => openSearch !== null)?.openSearch ?? null;
  if (node === null) return arms.map(() => null);
  const times = arms.flatMap((arm) => arm.openSearchMs ?? []);
  const worked = sum(times);
  const loadMs = sum(arms.map((arm) => arm.loadMs));
  return arms.map((arm) => {
    if (times.length === 0) return (node * passMs) / loadMs;
    return arm.openSearchMs === null || arm.openSearchMs === 0
      ? null
      : (node * passMs * arm.openSearchMs) / (worked * arm.loadMs);
  });
}

/** A slice of an arm, with what probes saw of it. */
interface ProbedSlice {
  readonly slice: SliceRecord;
  readonly probes: readonly ProbeRecord[];
  readonly pass: PassRecord | null;
}

/** The cores of a round's slices, pass by pass. */
export function coresOfSlices(measured: readonly ProbedSlice[]): ReadonlyMap<SliceRecord, ArmCores> {
  const cores = new Map<SliceRecord, ArmCores>();
  for (const ofPass of groupBy(measured, ({ slice }) => `${slice.pass} ${slice.group ?? ''}`)) {
    const shared = shareCores(ofPass.map(seenCpu), ofPass[0]?.pass?.durationMs ?? null);
    for (const [index, one] of shared.entries()) {
      const slice = ofPass[index]?.slice;
      if (slice !== undefined) cores.set(slice, one);
    }
  }
  return cores;
}

const openSearchTimes = ['index', 'query', 'refresh', 'merge'].map((work) => `opensearch_${work}_time_ms`);

function seenCpu({ slice, probes, pass }: ProbedSlice): SeenCpu {
  const seen = (name: MetricAlias): number | null => valueIn(probes, (values) => probeValue(values, name));
  const own = (['serviceCores', 'postgresCores', 'poolerCores'] as const).map((name) => seen(name) ?? 0);
  const times = openSearchTimes.flatMap((name) => valueIn(probes, (values) => values[name] ?? null) ?? []);
  return {
    loadMs: slice.loadMs,
    own: sum(own) + slice.generator.cpuMs / Math.max(1, slice.loadMs),
    openSearch: seen('openSearchCores'),
    openSearchMs: times.length === 0 ? null : sum(times),
    machineShare: seen('machineCpuShare'),
    othersShare: pass?.conditions.foreignCpuShare ?? null,
  };
}

/** The later of two records of one probe holds: it was measured again. */
function valueIn(
  probes: readonly ProbeRecord[],
  read: (values: ProbeRecord['values']) => number | null,
): number | null {
  return probes.reduce<number | null>((last, { values }) => read(values) ?? last, null);
}
