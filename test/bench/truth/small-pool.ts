import { createRandom } from '../../../src/base/random.ts';

/** Requests that come at random at a rate, or of users who each send the next after a random pause. */
type SmallPoolLoad = { readonly rate: number } | { readonly users: number; readonly thinkMs: number };

/** Its settings. */
interface SmallPool {
  readonly slots: number;
  readonly fastMs: number;
}

/** Of all requests, and how many there are in a second. */
interface Played {
  readonly meanMs: number;
  readonly perS: number;
}

const REQUESTS = 400_000;
/** As in services/small-pool.mjs. */
const [ONE_OF, HOLD_MS] = [6, 40];

/**
 * Plays services/small-pool.mjs by its own rule: one request of six, at a random place among them, needs one of the slots, first
 * come, first served. Returns the mean over 400,000 requests, known to about a percent.
 */
export function playSmallPool({ slots, fastMs }: SmallPool, load: SmallPoolLoad): Played {
  const random = createRandom(`small pool ${slots}`);
  const exponential = (meanMs: number): number => -meanMs * Math.log(1 - random.next());
  const free = Array.from({ length: slots }, () => 0);
  const due = Array.from({ length: 'users' in load ? load.users : 1 }, () => exponential(10));
  let [slow, waitedMs, atMs] = [0, 0, 0];
  for (let number = 0; number < REQUESTS; number++) {
    if (number % ONE_OF === 0) slow = Math.floor(ONE_OF * random.next());
    atMs = Math.min(...due);
    let endMs = atMs + fastMs;
    if (number % ONE_OF === slow) {
      const first = Math.min(...free);
      endMs = Math.max(atMs, first) + HOLD_MS;
      free[free.indexOf(first)] = endMs;
    }
    waitedMs += endMs - atMs;
    due[due.indexOf(atMs)] = 'users' in load ? endMs + exponential(load.thinkMs) : atMs + exponential(1000 / load.rate);
  }
  return { meanMs: waitedMs / REQUESTS, perS: (1000 * REQUESTS) / atMs };
}
