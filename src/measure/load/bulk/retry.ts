import type { Random } from '../../../base/random.ts';

/** Outcome of a request: the status of its answer, or the kind of failure. */
export type Outcome = number | 'error' | 'timeout';

export function isAccepted(outcome: Outcome): boolean {
  return typeof outcome === 'number' && outcome >= 200 && outcome < 300;
}

/** True if the same request may be accepted later: not if the service calls the request itself wrong. */
export function mayHelp(outcome: Outcome): boolean {
  return typeof outcome === 'string' || outcome === 409 || outcome === 429 || outcome >= 500;
}

/** The pause before a repeat, in milliseconds. It doubles with each attempt and is spread by up to half either way. */
export function pauseMs(backoffMs: number, attempts: number, random: Random): number {
  return backoffMs * 2 ** (attempts - 1) * (0.5 + random.next());
}
