import { join } from 'node:path';

/** A name of a folder is no longer than this. */
const MOST_CHARACTERS = 80;

/** The folder of a run's reports against another control than it was planned with: `RUN/against-pool-25`. */
export function folderAgainst(runFolder: string, control: string): string {
  const name = control.normalize('NFKD').replace(/[^A-Za-z0-9._]+/g, '-');
  return join(runFolder, `against-${name}`.slice(0, MOST_CHARACTERS));
}
