import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Finding, ok, warning } from '../../finding.ts';
import { createRunFolder, removeUnused } from '../run-folder.ts';

/**
 * The folder that a sweep would write to: makes it and takes it away again. Throws PgsweepError `usage` where it cannot be made,
 * or holds a run.
 */
export function examineRunFolder(path: string): Finding {
  const before = existsSync(path) ? statSync(path) : undefined;
  removeUnused(createRunFolder(path).made);
  const above = foldersAbove(path).find(othersCanReplaceIn);
  if (above !== undefined) {
    return warning(
      'run folder',
      `everybody on this machine can write to ${above}, and so replace ${path}`,
      `Others could change what is measured there: chmod o-w ${above}, or name another folder by --out.`,
    );
  }
  if (before !== undefined && (before.mode & 0o002) !== 0) {
    return warning(
      'run folder',
      `everybody on this machine can write to ${path}`,
      'Others could change what is measured there: chmod go-w, or name another folder by --out.',
    );
  }
  return ok('run folder', `${path} can be written`);
}

/** The folders above a path that are there, the nearest first. */
function foldersAbove(path: string): string[] {
  const above = dirname(resolve(path));
  if (!existsSync(above)) return foldersAbove(above);
  const folder = realpathSync(above);
  return dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(folder)];
}

/** True for a folder in which anybody may rename what others made: everybody can write, and it has no sticky bit as /tmp has. */
function othersCanReplaceIn(folder: string): boolean {
  const { mode } = statSync(folder);
  return (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
}
