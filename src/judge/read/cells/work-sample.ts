import { countAll } from '../../../journal/outcomes.ts';
import type { ProbeRecord } from '../../../journal/records.ts';
import type { MeasuredSlice } from '../rounds/complete-rounds.ts';

/** The counts beside the database's own counters. */
const countedNames = [
  'statements',
  'walBytes',
  'laterWalBytes',
  'dataBytes',
  'serviceCpuMs',
  'postgresCpuMs',
  'backgroundCpuMs',
  'idleCpuMs',
] as const;

type CountedName = (typeof countedNames)[number];

/** Something that was counted, for how many requests, and over which time. */
export interface WorkTally {
  readonly count: number;
  /**
   * All that were sent in what is covered, whatever became of them: the service and its database worked for a request
   * that failed, too.
   */
  readonly requests: number;
  /**
   * How long the clock ran over what is covered, in milliseconds: what follows time goes on in other arms' turns. Null
   * where that is not known.
   */
  readonly wallMs: number | null;
}

export type WorkSample = Readonly<Partial<Record<CountedName, WorkTally>>>;

/** The work of some slices of a cell, merged. */
export function workOf(measured: readonly MeasuredSlice[]): WorkSample {
  return mergeWork(measured.map(workOfSlice));
}

/** Adds up work, each kind over those that have it. */
export function mergeWork(all: readonly WorkSample[]): WorkSample {
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  const merged: Partial<Record<CountedName, WorkTally>> = {};
  for (const name of countedNames) {
    const tallies = all.flatMap((work) => work[name] ?? []);
    if (tallies.length > 0) merged[name] = tallies.reduce(addTallies);
  }
  return merged;
}

function addTallies(a: WorkTally, b: WorkTally): WorkTally {
  return {
    count: a.count + b.count,
    requests: a.requests + b.requests,
    wallMs: a.wallMs === null || b.wallMs === null ? null : a.wallMs + b.wallMs,
  };
}

/** Both as one, over the requests of the first; the second is part of it where it is known. */
export function together(first: WorkTally | undefined, second: WorkTally | undefined): WorkTally | null {
  if (first === undefined) return null;
  if (second === undefined || second.requests === 0) return first;
  return { ...first, count: first.count + (second.count * first.requests) / second.requests };
}

/**
 * Statements, background processes and data files are counted from the beginning of a pass to its end; CPU and WAL of
 * sessions in the arm's own turns. (What an arm does in other arms' turns is watched by the run, which goes back to whole
 * slices where it is much.) Data files and WAL between turns are the arm's only where its server is.
 */
function workOfSlice({ slice, probes, pass }: MeasuredSlice): WorkSample {
  const requests = countAll(slice.whole);
  const sample: Partial<Record<CountedName, WorkTally>> = {};
  const add = (name: CountedName, count: number | null | undefined, wallMs: number | null): void => {
    if (count !== null && count !== undefined) sample[name] = { count, requests, wallMs };
  };
  add('statements', statementCalls(probes), pass?.durationMs ?? null);
  const ownMs = pass === null ? null : slice.loadMs;
  add('walBytes', slice.work?.walBytes, ownMs);
  const { background, idleMs = 0 } = slice.work ?? {};
  const passMs = pass?.durationMs ?? null;
  if (background?.arms === 1) {
    add('laterWalBytes', background.laterWalBytes, passMs);
    add('dataBytes', background.dataBytes, passMs);
  }
  add('backgroundCpuMs', background?.cpuMs, passMs);
  add('idleCpuMs', slice.work?.idleCpuMs, idleMs);
  add('serviceCpuMs', slice.work?.serviceCpuMs, ownMs);
  add('postgresCpuMs', slice.work?.postgresCpuMs, ownMs);
  return sample;
}

/** pg_stat_statements' where both extensions tell: pg_stat_monitor can lose calls between its buckets. */
function statementCalls(probes: readonly ProbeRecord[]): number | undefined {
  const callsIn = (name: string): number | undefined =>
    probes.findLast(({ probe }) => probe === name)?.values.statement_calls;
  return callsIn('pg-stat-statements') ?? callsIn('pg-stat-monitor');
}
