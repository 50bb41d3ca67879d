import type { Random } from '../../base/random.ts';
import type { ThinkTime } from '../../journal/script-spec.ts';

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
