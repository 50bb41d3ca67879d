import { ofName } from '../../../base/by-name.ts';
import { countAll } from '../../../journal/outcomes.ts';
import type { SliceRecord } from '../../../journal/records.ts';

/** What came of the requests of one name. */
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

/** A workload tells fewer names apart; a journal of somebody else's may hold any number. */
const MOST_NAMES = 100;

/** The requests of some slices by their names; empty where the workload has only one. */
export function requestsOf(slices: readonly CountedSlice[]): RequestCounts {
  return mergeRequests(slices.map(ofSlice));
}

type CountedSlice = Pick<SliceRecord, 'byRequest' | 'serverTimes' | 'outcomes' | 'latency'>;

function ofSlice({ byRequest, serverTimes = {}, outcomes: all, latency: allLatency }: CountedSlice): RequestCounts {
  const names = Object.keys(byRequest);
  // One kind of request is all requests; it is told apart only where there is more to tell of it.
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

/** Tells the parts of requests apart. */
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
