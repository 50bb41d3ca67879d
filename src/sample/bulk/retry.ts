import type { Random } from '../../base/random.ts';

/** What a request came to: its answer's status, or that there was none. */
export type Outcome = number | 'error' | 'timeout';

export function isAccepted(outcome: Outcome): boolean {
  return typeof outcome === 'number' && outcome >= 200 && outcome < 300;
}

/** Whether the same request may be accepted later: not where the service says that the request itself is wrong. */
export function mayHelp(outcome: Outcome): boolean {
  return typeof outcome === 'string' || outcome === 409 || outcome === 429 || outcome >= 500;
}

/** The pause before a repeat, in milliseconds. It doubles with each attempt and is spread by up to half either way. */
export function pauseMs(backoffMs: number, attempts: number, random: Random): number {
  return backoffMs * 2 ** (attempts - 1) * (0.5 + random.next());
}
