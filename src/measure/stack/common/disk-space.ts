import { statfsSync } from 'node:fs';
import { PgsweepError } from '../../../base/errors.ts';

/** Throws PgsweepError('stack') where a folder's disk has fewer bytes free than `what` needs; `hint` is what to do. */
export function requireDiskSpace(folder: string, bytes: number, what: string, hint: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  const message = `the disk of ${folder} has ${megabytes(free)} MB free; to ${what} takes ${megabytes(bytes)} MB`;
  throw new PgsweepError('stack', message, { hint });
}

function megabytes(bytes: number): string {
  return String(Math.round(bytes / 2 ** 20));
}

/** A new cluster, its first WAL files, and a log; or an OpenSearch node with small indices. */
const spaceBytes = 300 * 2 ** 20;

/** Throws PgsweepError('stack') where the disk of Docker's data is nearly full, and it is this machine's. */
export function requireDockerSpace({ dataFolder }: { readonly dataFolder: string | null }, what: string): void {
  if (dataFolder === null) return;
  const hint = 'docker system prune frees what is unused; or, on another disk: --stack embedded with PGSWEEP_TMP.';
  requireDiskSpace(dataFolder, spaceBytes, what, hint);
}
