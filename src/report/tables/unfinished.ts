import type { Average } from '../../analysis/judge/averages.ts';

/** The word in place of a number of an arm that had no answer as expected: `timeout`, `failed`. Null where it had some. */
export function unfinishedWord({ ok, not_ok, errors, timeouts }: Average): 'timeout' | 'failed' | null {
  if (ok > 0 || not_ok + errors + timeouts === 0) return null;
  return timeouts > 0 ? 'timeout' : 'failed';
}
