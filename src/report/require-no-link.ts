import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { PgsweepError } from '../base/errors.ts';

/** Throws PgsweepError `journal` where a folder of a run is a link: what is written there would be somewhere else. */
export function requireNoLink(runFolder: string, name: string): void {
  const folder = join(runFolder, name);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new PgsweepError('journal', `${folder} is a link: the report is written into the run folder alone`, {
    hint: 'Remove the link. If another user gave you the folder, ask why it is there.',
  });
}
