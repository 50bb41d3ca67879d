import { spawnWatched } from '../base/child-process.ts';
import { PgsweepError } from '../base/errors.ts';
import type { Reaper } from '../base/reaper.ts';
import type { OpenSearchSpec, PostgresRelease } from '../journal/scenario-record.ts';
import { type DockerImage, findImage } from './docker-engine.ts';

const defaultPostgresVersion = '17';
const defaultOpenSearchVersion = '2';

/** The image of a Postgres: the one named, else the official one of the version. */
export function postgresImage({ image, version }: PostgresRelease = {}): string {
  return image ?? `postgres:${version ?? defaultPostgresVersion}`;
}

/** The image of an OpenSearch: the one named, else the official one of the version. */
export function openSearchImage({ image, version }: Pick<OpenSearchSpec, 'image' | 'version'> = {}): string {
  return image ?? `opensearchproject/opensearch:${version ?? defaultOpenSearchVersion}`;
}

export interface PullOptions {
  readonly reaper: Reaper;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** An image, which is pulled where it is not at hand. Throws PgsweepError('stack') where that fails. */
export async function haveImage(name: string, { reaper, onProgress, signal }: PullOptions): Promise<DockerImage> {
  const found = await findImage(name);
  if (found !== null) return found;
  onProgress(`pulling the image ${name}`);
  const pull = await spawnWatched({ command: ['docker', 'pull', name], reaper });
  const stop = (): void => void pull.stop();
  signal?.addEventListener('abort', stop, { once: true });
  const { code } = await pull.exited;
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
  const pulled = code === 0 ? await findImage(name) : null;
  if (pulled !== null) return pulled;
  throw new PgsweepError('stack', `the image ${name} cannot be pulled: ${pull.tail().slice(-3).join('\n')}`, {
    hint: `Is its name right, and the registry in reach? To go without containers: --stack embedded`,
  });
}
