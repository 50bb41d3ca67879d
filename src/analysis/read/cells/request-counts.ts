import { countAll } from '../../../journal/outcomes.ts';
import type { SliceRecord } from '../../../journal/records.ts';

/** What came of the requests of one name. */
export interface RequestCount {
  /** Answers as expected. */
  readonly ok: number;
  /** Everything else: other answers, errors, timeouts. */
  readonly failed: number;
  /** Of the answers as expected, added up. */
  readonly latencyUs: number;
}

/** By the name of the request. */
export type RequestCounts = ReadonlyMap<string, RequestCount>;

/** A workload tells fewer names apart; a journal of somebody else's may hold any number. */
const MOST_NAMES = 100;

/** The requests of some slices by their names; empty where the workload has only one. */
export function requestsOf(slices: readonly Pick<SliceRecord, 'byRequest'>[]): RequestCounts {
  return mergeRequests(
    slices.map(
      ({ byRequest }) =>
        new Map(
          Object.entries(byRequest).map(([name, { outcomes, latency }]) => [
            name,
            {
              ok: latency.count,
              failed: Math.max(0, countAll(outcomes) - latency.count),
              latencyUs: latency.meanUs * latency.count,
            },
          ]),
        ),
    ),
  );
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
  };
}
