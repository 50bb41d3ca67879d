import { loadKey } from '../../../journal/load-level.ts';
import type { ConditionsRecord } from '../../../journal/pass-records.ts';
import type { LoadLevel } from '../../../journal/scenario-record.ts';
import { significant } from '../../stats/rounding.ts';
import type { CompleteRound } from './complete-rounds.ts';

/** How disturbed the machine was while load was on: noise in every arm alike, which voids nothing. Null where unknown. */
export interface Disturbance {
  /** CPU time that the hypervisor took away, in percent of all CPU time: over all passes, and the most there was. */
  readonly stealPercent: MeanAndMost | null;
  /** CPU time of processes that are not the run's. */
  readonly foreignCpuPercent: MeanAndMost | null;
  /** Periods of its CPU limit in which pgsweep's control group had used it up. */
  readonly throttledPercent: MeanAndMost | null;
  /** Time in which some task waited for memory, or for IO. */
  readonly memoryPressurePercent: MeanAndMost | null;
  readonly ioPressurePercent: MeanAndMost | null;
  /** TCP segments that were sent again, in percent. */
  readonly retransmitsPercent: number | null;
  readonly checkpoints: number | null;
  readonly autovacuums: number | null;
}

interface MeanAndMost {
  readonly mean: number;
  readonly most: number;
}

/** Shares added up over passes, each weighted by its length. */
interface ShareSeen {
  totalMs: number;
  weighted: number;
  most: number;
}

type ShareName = 'stealShare' | 'foreignCpuShare' | 'throttledShare' | 'memoryPressureShare' | 'ioPressureShare';
type CountName = 'tcpSegments' | 'tcpRetransmits' | 'checkpoints' | 'autovacuums';

/** Sums of the conditions so far. */
export interface ConditionsSeen {
  readonly shares: Readonly<Record<ShareName, ShareSeen>>;
  readonly counts: Record<CountName, number | null>;
  /** `throttledShare` by load level: one client uses less of a CPU limit than fifty. */
  readonly throttled: Map<string, ShareSeen>;
}

function share(): ShareSeen {
  return { totalMs: 0, weighted: 0, most: 0 };
}

/** Nothing seen yet. */
export function newConditions(): ConditionsSeen {
  return {
    shares: {
      stealShare: share(),
      foreignCpuShare: share(),
      throttledShare: share(),
      memoryPressureShare: share(),
      ioPressureShare: share(),
    },
    counts: { tcpSegments: null, tcpRetransmits: null, checkpoints: null, autovacuums: null },
    throttled: new Map(),
  };
}

/** Adds the conditions of a round's passes. */
export function seeConditions(seen: ConditionsSeen, { passes }: CompleteRound): void {
  for (const { load, conditions, durationMs } of passes) {
    see(seen, conditions, durationMs);
    const ofLoad = seen.throttled.get(loadKey(load)) ?? share();
    seen.throttled.set(loadKey(load), ofLoad);
    add(ofLoad, conditions.throttledShare ?? null, durationMs);
  }
}

function see(
  { shares, counts }: Pick<ConditionsSeen, 'shares' | 'counts'>,
  conditions: ConditionsRecord,
  durationMs: number,
): void {
  for (const name of Object.keys(shares) as ShareName[]) {
    const value = conditions[name] ?? null;
    add(shares[name], value, durationMs, name === 'stealShare' ? conditions.stealMaxShare : value);
  }
  for (const name of Object.keys(counts) as CountName[]) {
    const count = conditions[name];
    if (count !== null) counts[name] = (counts[name] ?? 0) + count;
  }
}

function add(sum: ShareSeen, value: number | null, durationMs: number, most = value): void {
  if (value === null) return;
  sum.totalMs += durationMs;
  sum.weighted += value * durationMs;
  sum.most = Math.max(sum.most, value, most ?? 0);
}

/** The share of periods in which pgsweep's own CPU limit was used up under a load; null where unknown. */
export function throttledShareOf({ throttled }: ConditionsSeen, load: LoadLevel): number | null {
  const { totalMs, weighted } = throttled.get(loadKey(load)) ?? share();
  return totalMs === 0 ? null : weighted / totalMs;
}

/** True where that was every second period: then the limit decides how much is served. */
export function isThrottled(share: number | null): boolean {
  return share !== null && share >= 0.5;
}

/** How disturbed the machine was, from all that was seen. */
export function disturbanceOf({ shares, counts }: ConditionsSeen): Disturbance {
  const { tcpRetransmits, tcpSegments, checkpoints, autovacuums } = counts;
  return {
    stealPercent: percentOf(shares.stealShare),
    foreignCpuPercent: percentOf(shares.foreignCpuShare),
    throttledPercent: percentOf(shares.throttledShare),
    memoryPressurePercent: percentOf(shares.memoryPressureShare),
    ioPressurePercent: percentOf(shares.ioPressureShare),
    retransmitsPercent:
      tcpRetransmits === null || tcpSegments === null || tcpSegments === 0
        ? null
        : significant((100 * tcpRetransmits) / tcpSegments),
    checkpoints,
    autovacuums,
  };
}

function percentOf({ totalMs, weighted, most }: ShareSeen): MeanAndMost | null {
  if (totalMs === 0) return null;
  return { mean: significant((100 * weighted) / totalMs), most: significant(100 * most) };
}
