import type { Average } from '../../judge/verdicts/averages.ts';

/** The word in place of a number of an arm most of whose requests had no answer as expected: `timeout`, `failed`. Else null. */
export function unfinishedWord({ unfinished }: Pick<Average, 'unfinished'>): 'timeout' | 'failed' | null {
  if (unfinished === null) return null;
  return unfinished === 'timeouts' ? 'timeout' : 'failed';
}
