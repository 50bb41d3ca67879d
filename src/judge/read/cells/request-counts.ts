import { ofName } from '../../../base/by-name.ts';
import { addHistogram, MAX_BUCKETS } from '../../../journal/histogram.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { LatencyRecord, SliceRecord } from '../../../journal/records.ts';
import { highestOf, needed } from './latency-counts.ts';

/** Outcomes of the requests of one name. */
export interface RequestCount {
  /** Answers as expected. */
  readonly ok: number;
  /** Everything else: other answers, errors, timeouts. */
  readonly failed: number;
  /** The latencies of the answers as expected, added up. */
  readonly latencyUs: number;
  /** By what the service names in its header Server-Timing, of the same answers, added up. */
  readonly serverMs: ReadonlyMap<string, number>;
}

/** By the name of the request. */
export type RequestCounts = ReadonlyMap<string, RequestCount>;

/** A workload has fewer names; a user's journal may hold any number. */
const MOST_NAMES = 100;

/** The requests of some slices by their names; empty where the workload has only one. */
export function requestsOf(slices: readonly CountedSlice[]): RequestCounts {
  return mergeRequests(slices.map(ofSlice));
}

type CountedSlice = Pick<SliceRecord, 'byRequest' | 'serverTimes' | 'outcomes' | 'latency'>;

function ofSlice({ byRequest, serverTimes = {}, outcomes: all, latency: allLatency }: CountedSlice): RequestCounts {
  const names = Object.keys(byRequest);
  // One kind of request is all requests; it has its own entry only where there is more to report.
  const [only] = names.length === 0 ? Object.keys(serverTimes) : [];
  const each = only === undefined ? byRequest : { [only]: { outcomes: all, latency: allLatency } };
  return new Map(
    Object.entries(each).map(([name, { outcomes, latency }]) => [
      name,
      {
        ok: latency.count,
        failed: Math.max(0, countAll(outcomes) - latency.count),
        latencyUs: latency.meanUs * latency.count,
        serverMs: new Map(Object.entries(ofName(serverTimes, name) ?? {})),
      },
    ]),
  );
}

/** The key of a part of a request's time. */
export function serverTimeKey(request: string, part: string): string {
  return JSON.stringify([request, part]);
}

/** Adds requests up, name by name. */
export function mergeRequests(all: readonly RequestCounts[]): RequestCounts {
  const total = new Map<string, RequestCount>();
  for (const requests of all) {
    for (const [name, more] of requests) {
      const before = total.get(name);
      if (before === undefined && total.size >= MOST_NAMES) continue;
      total.set(name, before === undefined ? more : added(before, more));
    }
  }
  return total;
}

function added(one: RequestCount, other: RequestCount): RequestCount {
  return {
    ok: one.ok + other.ok,
    failed: one.failed + other.failed,
    latencyUs: one.latencyUs + other.latencyUs,
    serverMs: addedTimes(one.serverMs, other.serverMs),
  };
}

function addedTimes(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  if (one.size === 0 || other.size === 0) return one.size === 0 ? other : one;
  const sum = new Map(one);
  for (const [part, ms] of other) sum.set(part, (sum.get(part) ?? 0) + ms);
  return sum;
}

/** Percentiles are kept of no more names: a user's journal may hold any number. */
const MOST_WITH_PERCENTILES = 50;

/**
 * The latencies of a cell's requests by their names, over all its rounds. A name has far fewer different latencies than a
 * histogram has buckets, so that only those are kept that have any.
 */
export class RequestLatencies {
  readonly #byName = new Map<string, Map<number, number>>();

  add({ byRequest }: Pick<SliceRecord, 'byRequest'>): void {
    for (const [name, { latency }] of Object.entries(byRequest)) {
      const counts = this.#byName.get(name) ?? new Map<number, number>();
      if (latency.count === 0 || (this.#byName.size >= MOST_WITH_PERCENTILES && !this.#byName.has(name))) continue;
      this.#byName.set(name, counts);
      addRecord(latency, counts);
    }
  }

  /** The latencies at ascending percentiles, in microseconds, as HdrHistogram reads them; null where none are known. */
  percentilesUs(name: string, percents: readonly number[]): number[] | null {
    const counts = this.#byName.get(name);
    if (counts === undefined) return null;
    const buckets = [...counts].sort(([a], [b]) => a - b);
    const all = buckets.reduce((sum, [, count]) => sum + count, 0);
    let [place, below] = [0, 0];
    return percents.map((percent) => {
      const wanted = needed(percent, all);
      for (; below < wanted && place < buckets.length; place++) below += buckets[place]?.[1] ?? 0;
      return highestOf(buckets[place - 1]?.[0] ?? 0);
    });
  }
}

/** All its counts are 0 between two uses. */
const scratch = new Float64Array(MAX_BUCKETS);

function addRecord(latency: LatencyRecord, counts: Map<number, number>): void {
  const { first, end } = addHistogram(latency, scratch);
  for (let bucket = first; bucket < end; bucket++) {
    const own = scratch[bucket] ?? 0;
    if (own > 0) counts.set(bucket, (counts.get(bucket) ?? 0) + own);
  }
  scratch.fill(0, first, end);
}
