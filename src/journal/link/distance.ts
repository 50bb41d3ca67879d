/** How far a service is from its database: what a network between them would add. */
export interface DistanceSpec {
  /** What a round trip takes longer than a direct one. */
  readonly rttMs: number;
  /** A round trip takes up to so much more or less, at random; absent where always the same. */
  readonly jitterMs?: number;
  /** For each direction of an arm, all its connections together; absent where there is no limit. */
  readonly bandwidthMbit?: number;
}

/** Round trips of `SELECT 1` over one connection, one after the other. */
export interface RoundTrips {
  readonly trips: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/** The distance as it was measured: what there is between the two is what was added. */
export interface DistanceReading {
  readonly asked: DistanceSpec;
  readonly direct: RoundTrips;
  readonly distant: RoundTrips;
}

/** The bits of a `SELECT 1` and its answer in Postgres's protocol, which take time where there is a limit of bandwidth. */
const TRIP_KBITS = (80 * 8) / 1000;

/** What was added to the median round trip, in ms. */
export function addedMs({ direct, distant }: DistanceReading): number {
  return (distant.p50Us - direct.p50Us) / 1000;
}

/** What was to be added to it. */
function expectedMs({ rttMs, bandwidthMbit }: DistanceSpec): number {
  return rttMs + (bandwidthMbit === undefined ? 0 : TRIP_KBITS / bandwidthMbit);
}

/** Whether a measured distance is further off than can be left unsaid: a tenth of it, or of a millisecond. */
export function isOff(reading: DistanceReading): boolean {
  const expected = expectedMs(reading.asked);
  return Math.abs(addedMs(reading) - expected) > Math.max(0.1, 0.1 * expected);
}
