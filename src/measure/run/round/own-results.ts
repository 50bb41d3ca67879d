import { join } from 'node:path';
import { writeFileAtomic } from '../../../base/files/atomic-file.ts';
import { maskKnownTexts } from '../../../base/secrets.ts';
import type { SliceRecord } from '../../../journal/records.ts';
import type { LoadResult } from '../../load/load-generator.ts';

/**
 * Writes what an outside engine says of a slice, each of its processes into a file of the run folder:
 * `autocannon/round-1-slice-3.json`.
 */
export function keepOwnResults(
  folder: string,
  { round, slice }: Pick<SliceRecord, 'round' | 'slice'>,
  { ownResults = [] }: Pick<LoadResult, 'ownResults'>,
): void {
  for (const [place, { engine, result }] of ownResults.entries()) {
    const process = place === 0 ? '' : `-process-${place + 1}`;
    const file = join(folder, engine, `round-${round}-slice-${slice}${process}.json`);
    writeFileAtomic(file, `${JSON.stringify(maskKnownTexts(result), null, 2)}\n`);
  }
}
