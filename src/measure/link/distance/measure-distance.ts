import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { type DistanceReading, type DistanceSpec, isOff } from '../../../journal/link/distance.ts';
import { measureRoundTrips } from './round-trips.ts';

/** Two ways to the same database, by their URLs. */
export interface DistancePlace {
  readonly near: string;
  readonly far: string;
  readonly asked: DistanceSpec;
  /** Way that makes it; absent where a proxy does. */
  readonly by?: 'netem';
  readonly signal: AbortSignal;
}

/** Round trips of a look, and how long it takes as long as they are no fewer than the least. */
const [LEAST_TRIPS, MOST_TRIPS, LOOK_MS] = [10, 200, 500];
/** A distance that is off is measured again before it is reported: another process may have disturbed it. */
const LOOKS = 3;

/** Measures a distance, in up to a second and a half. Throws PgsweepError `stack` where the database does not answer. */
export async function measureDistance(place: DistancePlace): Promise<DistanceReading> {
  let reading = await look(place);
  for (let looks = 1; looks < LOOKS && isOff(reading); looks++) reading = await look(place);
  return reading;
}

function tripsOf({ rttMs }: DistanceSpec): number {
  return Math.round(Math.min(MOST_TRIPS, Math.max(LEAST_TRIPS, LOOK_MS / (rttMs + 0.2))));
}

async function look({ near, far, asked, by, signal }: DistancePlace): Promise<DistanceReading> {
  try {
    const [direct, distant] = await measureRoundTrips([near, far], tripsOf(asked), signal);
    if (direct === undefined || distant === undefined) throw new Error('nothing was measured');
    return { asked, ...(by && { by }), direct, distant };
  } catch (cause) {
    signal.throwIfAborted();
    throw new PgsweepError('stack', `the distance to the database cannot be measured: ${messageOf(cause)}`, {
      hint: 'Without it: leave out rtt, jitter and bandwidth.',
      cause,
    });
  }
}
