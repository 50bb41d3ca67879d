import { createRandom, seedOf } from '../../../base/random.ts';
import type { OpenLoopSpec } from '../../../journal/scenario-record.ts';

/** The times at which requests are due, in milliseconds from the start of a turn, in order and without end. */
export interface Arrivals {
  next(): number;
}

interface ArrivalProcess extends Pick<OpenLoopSpec, 'arrivals'> {
  /** Requests a second, in the mean. */
  readonly rate: number;
  /** Seed of the times: equal seeds give equal times. */
  readonly seed: number;
}

/**
 * Constant: at equal distances. Poisson: at exponentially distributed ones (by inversion), as requests of many users who know
 * nothing of each other come; what is due in any stretch of time has the same variance as mean.
 */
export function createArrivals({ arrivals, rate, seed }: ArrivalProcess): Arrivals {
  const gapMs = 1000 / rate;
  if (arrivals === 'constant') {
    let count = 0;
    return { next: () => gapMs * count++ };
  }
  const random = createRandom(seedOf(seed, 'arrivals'));
  let atMs = 0;
  return {
    next() {
      atMs -= gapMs * Math.log1p(-random.next());
      return atMs;
    },
  };
}
