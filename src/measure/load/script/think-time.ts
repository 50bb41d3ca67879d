import type { Random } from '../../../base/random.ts';
import type { ThinkTime } from '../../../journal/script-spec.ts';

/** Nobody thinks longer: an exponential draw has no end, and a timer has one. */
const LONGEST_MS = 24 * 3_600_000;

/** Draws a pause, in milliseconds: an exponential one by inversion, -mean x ln(1 - u). */
export function thinkMs(think: ThinkTime | undefined, random: Pick<Random, 'next'>): number {
  switch (think?.kind) {
    case undefined:
      return 0;
    case 'constant':
      return think.ms;
    case 'exponential':
      return Math.min(LONGEST_MS, -think.meanMs * Math.log(1 - random.next()));
    case 'uniform':
      return think.fromMs + random.next() * (think.toMs - think.fromMs);
  }
}

/**
 * Draws what is left of a pause that a user is met in at any moment, in milliseconds. Users who begin so have come to their steady state at once (the equilibrium of a renewal process: Cox, Renewal
 * Theory, 1962, 5.3). Were they to come evenly within one mean pause of exponential ones, those who are back already would come on
 * top: near its limit a service had a queue from it whose p95 was a sixth too long after 25 pauses.
 */
export function restOfPauseMs(pause: ThinkTime | undefined, random: Pick<Random, 'next'>): number {
  switch (pause?.kind) {
    case undefined:
      return 0;
    case 'constant':
      return random.next() * pause.ms;
    case 'exponential':
      return thinkMs(pause, random);
    case 'uniform': {
      // A long pause is met more often than a short one.
      const [low, high] = [pause.fromMs ** 2, pause.toMs ** 2];
      return random.next() * Math.sqrt(low + random.next() * (high - low));
    }
  }
}
