import { traitsOf } from '../../journal/load-level.ts';
import type { LoadLevel } from '../../journal/scenario-record.ts';

/** Mark beside the name of a variant that looks better than it is under a load level: ` [more requests failed]`. */
export function failedMark(load: LoadLevel): string {
  return ` [${failedWords(load)}]`;
}

/** `more requests failed`, `documents lost`: what such a mark says. */
export function failedWords(load: LoadLevel): string {
  const { counts } = traitsOf(load);
  // A loss over load.maxFailedRate is marked whatever the others lost.
  return counts === 'documents' ? 'documents lost' : `more ${counts} failed`;
}
