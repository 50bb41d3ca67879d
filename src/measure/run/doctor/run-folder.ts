import { existsSync, statSync } from 'node:fs';
import { type Finding, ok, warning } from '../../finding.ts';
import { createRunFolder, removeUnused } from '../run-folder.ts';

/**
 * The folder that a sweep would write to: makes it and takes it away again. Throws PgsweepError `usage` where it cannot be made,
 * or holds a run.
 */
export function examineRunFolder(path: string): Finding {
  const before = existsSync(path) ? statSync(path) : undefined;
  removeUnused(createRunFolder(path).made);
  if (before !== undefined && (before.mode & 0o002) !== 0) {
    return warning(
      'run folder',
      `everybody on this machine can write to ${path}`,
      'Others could change what is measured there: chmod go-w, or name another folder by --out.',
    );
  }
  return ok('run folder', `${path} can be written`);
}
