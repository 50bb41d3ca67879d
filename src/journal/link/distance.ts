import { amount, count, fields, oneOf, optional, type ValueOf } from '../shape.ts';

/** Ways in which distances were made: a proxy for each arm; in old journals also the kernel's netem. A run uses one of them. */
export const distanceWays = ['netem', 'proxy'] as const;

/** How far a service is from its database: what a network between them would add. */
export interface DistanceSpec extends ValueOf<typeof distanceSpec> {}
export const distanceSpec = fields({
  /** By how much a round trip takes longer than a direct one. */
  rttMs: amount,
  /** A round trip takes up to this much more or less, at random; absent where it never varies. */
  jitterMs: optional(amount),
  /** For each direction of an arm, all its connections together; absent where there is no limit. */
  bandwidthMbit: optional(amount),
});

/** Round trips of `SELECT 1` over one connection, one after the other. */
export interface RoundTrips extends ValueOf<typeof roundTrips> {}
const roundTrips = fields({ trips: count, p50Us: amount, p99Us: amount });

/** The distance as it was measured: what there is between the two is what was added. */
export interface DistanceReading extends ValueOf<typeof distanceReading> {}
export const distanceReading = fields({
  asked: distanceSpec,
  /** In old journals, set where the kernel made it; absent where a proxy did. */
  by: optional(oneOf('netem')),
  direct: roundTrips,
  distant: roundTrips,
});

/**
 * The bits of a `SELECT 1` and its answer in Postgres's protocol, which take time where there is a limit of bandwidth. The kernel
 * also counts the heads of the two packets (Ethernet, IP, TCP), as a wire does.
 */
const TRIP_KBITS = (80 * 8) / 1000;
const HEADS_KBITS = (2 * 66 * 8) / 1000;

/** Time added to the median round trip, in ms. */
export function addedMs({ direct, distant }: DistanceReading): number {
  return (distant.p50Us - direct.p50Us) / 1000;
}

/** Time that the distance should add to the median round trip, in ms. */
function expectedMs({ asked: { rttMs, bandwidthMbit }, by }: DistanceReading): number {
  if (bandwidthMbit === undefined) return rttMs;
  return rttMs + (TRIP_KBITS + (by === 'netem' ? HEADS_KBITS : 0)) / bandwidthMbit;
}

/** True if a measured distance is off by more than a tenth, of itself or of a millisecond. */
export function isOff(reading: DistanceReading): boolean {
  const expected = expectedMs(reading);
  return Math.abs(addedMs(reading) - expected) > Math.max(0.1, 0.1 * expected);
}
