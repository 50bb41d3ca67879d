import { requireDiskSpace } from '../common/disk-space.ts';
import type { DockerEngine } from './engine.ts';

/** A new cluster, its first WAL files, and a log; or an OpenSearch node with small indices. */
const spaceBytes = 300 * 2 ** 20;

/** Throws PgsweepError('stack') where the disk of Docker's data is nearly full, and it is this machine's. */
export function requireDockerSpace({ dataFolder }: Pick<DockerEngine, 'dataFolder'>, what: string): void {
  if (dataFolder === null) return;
  const hint = 'docker system prune frees what nobody uses; or, on another disk: --stack embedded with PGSWEEP_TMP.';
  requireDiskSpace(dataFolder, spaceBytes, what, hint);
}
