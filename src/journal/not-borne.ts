import type { LoadLevel, LoadSpec } from './scenario-record.ts';

/** More of what was due than this, in percent, is not sent: a service bears a rate where no more fail, either. */
const MOST_PERCENT = 1;

/**
 * Whether a service does not bear a rate: of so many requests, so many came due while as many as may be waited for their
 * answer, and were not sent. It is a result as any other, where the load generator itself was in time. Of iterations of a k6
 * script nothing is said: a script that pauses may need more users than it has.
 */
export function isNotBorne(
  { unsent, requests }: { readonly unsent: number; readonly requests: number },
  load: LoadLevel,
  { maxFailedPercent = MOST_PERCENT }: Pick<LoadSpec, 'maxFailedPercent'>,
): boolean {
  if (!('rate' in load) || load.of !== undefined || requests === 0) return false;
  return (100 * unsent) / requests > maxFailedPercent;
}
