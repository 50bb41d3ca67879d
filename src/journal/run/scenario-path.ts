import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RunRecord } from '../records.ts';

/**
 * Path of a recorded run's scenario file, wherever the reader's working folder is. Where its folder does not exist, as on another
 * machine, it is seen from the working folder.
 */
export function scenarioPath({ scenario: { file }, startedIn }: Pick<RunRecord, 'scenario' | 'startedIn'>): string {
  const path = resolve(startedIn ?? '', file);
  return existsSync(dirname(path)) ? path : resolve(file);
}
