/** When the connections of a pool, the service's own or a pooler's, are what requests wait for. */

/** Above it the event loop, the CPU or Postgres is why connections are held longer, and the pool only shows it: see pool-unused.ts. */
export const BUSY = 0.6;
/**
 * A pool of which less than half works in Postgres has the other half lying idle. From 0.7 on it is all in use: of the
 * moments that were seen a tenth lie before and after the load, and between two transactions a connection rests for a
 * round trip.
 */
export const IDLE_SHARE = 0.5;
export const FULL_SHARE = 0.7;
