import { loadSize, sliceTraitsOf, traitsOf } from '../../journal/load-level.ts';
import { answersFor } from '../../journal/run/percentiles.ts';
import type { LoadLevel, LoadSpec } from '../../journal/scenario-record.ts';
import { LONGEST_SLICE_MS } from './turn-length.ts';

/** Requests that p99 of a round needs, and a tenth more for those that are not counted. */
const WANTED_REQUESTS = 1.1 * answersFor(99);
/** How fast a bounded run is expected to be, until a round has shown it. */
const EXPECTED_PER_S = 100;

/**
 * True if the arms of a load level have their time in one stretch. Short turns would begin with an empty queue where the load
 * is to show a queue, or would break off the pauses of users. The other reason is an end by number of requests or by the
 * scenario.
 */
export function takesWholeSlices(spec: Pick<LoadSpec, 'bounded' | 'forMs'>, load: LoadLevel): boolean {
  return sliceTraitsOf(spec).inOneStretch || !traitsOf(load).takesTurns;
}

/**
 * How long such a slice is, in milliseconds: of a number of requests, the most that they may take; at a rate, where the run sets
 * lengths by itself, as long as p99 needs, where that is not too long.
 */
export function wholeSliceMs({ bounded, sliceMs, autoSlice, leastSliceMs = 0 }: LoadSpec, load: LoadLevel): number {
  if (bounded !== undefined) return bounded.limitMs;
  if (autoSlice !== true) return sliceMs;
  const wantedMs = traitsOf(load).isOpenLoop ? (1000 * WANTED_REQUESTS) / loadSize(load) : 0;
  return Math.max(sliceMs, leastSliceMs, Math.min(LONGEST_SLICE_MS, wantedMs));
}

/** How long it is expected to take; `mostMs` is how long it may. Beside a job come the requests without it. */
export function expectedSliceMs(spec: LoadSpec, load: LoadLevel, mostMs = wholeSliceMs(spec, load)): number {
  const { bounded } = spec;
  if (bounded === undefined) return mostMs;
  const withoutMs = traitsOf(load).isBesideJob ? spec.sliceMs : 0;
  return withoutMs + Math.min(mostMs, (1000 * bounded.count) / EXPECTED_PER_S);
}
