import { addedMs, type DistanceReading, type DistanceSpec, isOff } from '../../../journal/link/distance.ts';
import type { LinkRecord } from '../../../journal/link/link-record.ts';
import type { PoolerReading } from '../../../journal/link/pooler.ts';
import type { JournalRecord, SliceRecord } from '../../../journal/records.ts';
import type { RunNote } from '../../notes.ts';
import { median } from '../../stats/moments.ts';
import { significant } from '../../stats/rounding.ts';

/** The measured link between a variant's service and its database. */
export interface LinkSummary {
  readonly variant: string;
  readonly distance?: DistanceSummary;
  readonly pooler?: PoolerReading;
  /** How many CPUs the processes between the two used while the variant was under load; null where that is not known. */
  readonly cpus: number | null;
}

/** Round trips of `SELECT 1`, looked at in every round before load. */
export interface DistanceSummary {
  readonly asked: DistanceSpec;
  /** How often it was looked at: in every round, of the control twice. */
  readonly looks: number;
  /**
   * The distance in excess of the median direct round trip: medians over the looks of their medians and of their 99th
   * percentiles.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** At how many looks it was off by more than a tenth of it, or of a millisecond. */
  readonly off: number;
}

/** Follows the records of a run. */
export interface LinkReader {
  add(record: JournalRecord): void;
  /** By variant, as they came; empty where nothing stood between. */
  links(): readonly LinkSummary[];
}

interface Seen {
  readonly readings: DistanceReading[];
  pooler: PoolerReading | null;
  cpuMs: number | null;
  loadMs: number;
}

export function readLinks(): LinkReader {
  const variants = new Map<string, Seen>();
  return {
    add(record) {
      if (record.type === 'link') addReading(variants, record);
      else if (record.type === 'slice') addUse(variants, record);
    },
    links: () => [...variants].map(([variant, seen]) => summaryOf(variant, seen)),
  };
}

function addReading(variants: Map<string, Seen>, { variant, distance, pooler }: LinkRecord): void {
  const seen = variants.get(variant) ?? { readings: [], pooler: null, cpuMs: 0, loadMs: 0 };
  variants.set(variant, seen);
  if (distance !== undefined) seen.readings.push(distance);
  if (pooler !== undefined) seen.pooler = pooler;
}

function addUse(variants: ReadonlyMap<string, Seen>, { variant, work, loadMs }: SliceRecord): void {
  const seen = variants.get(variant);
  if (seen === undefined) return;
  const cpuMs = work?.linkCpuMs ?? null;
  seen.cpuMs = seen.cpuMs === null || cpuMs === null ? null : seen.cpuMs + cpuMs;
  seen.loadMs += loadMs;
}

function summaryOf(variant: string, { readings, pooler, cpuMs, loadMs }: Seen): LinkSummary {
  const [first] = readings;
  return {
    variant,
    ...(first !== undefined && { distance: distanceOf(first.asked, readings) }),
    ...(pooler !== null && { pooler }),
    cpus: cpuMs === null || loadMs === 0 ? null : significant(cpuMs / loadMs),
  };
}

function distanceOf(asked: DistanceSpec, readings: readonly DistanceReading[]): DistanceSummary {
  return {
    asked,
    looks: readings.length,
    p50Ms: significant(median(readings.map(addedMs))),
    p99Ms: significant(median(readings.map(({ direct, distant }) => (distant.p99Us - direct.p50Us) / 1000))),
    off: readings.filter(isOff).length,
  };
}

/** A thread that is busy for so much of the time has others wait for it. */
const BUSY_CPUS = 0.7;

/** Where a distance is not what was asked, or what makes it is itself a limit. */
export function linkNotes(links: readonly LinkSummary[]): RunNote[] {
  const off = links.flatMap(({ variant, distance }) =>
    distance === undefined || distance.off === 0 ? [] : [{ variant, ...distance }],
  );
  const busy = links.flatMap(({ variant, cpus }) => (cpus === null || cpus < BUSY_CPUS ? [] : [{ variant, cpus }]));
  return [
    ...off.map(({ variant, asked, p50Ms, looks, off }): RunNote => {
      return { kind: 'distance-off', variant, askedMs: asked.rttMs, p50Ms, off, looks };
    }),
    ...busy.map(({ variant, cpus }): RunNote => ({ kind: 'link-busy', variant, cpus })),
  ];
}
