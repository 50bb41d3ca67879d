import { PgsweepError } from '../../../base/errors.ts';
import { spawnWatched } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import type { OpenSearchSpec, PostgresRelease, ResolvedScenario } from '../../../journal/scenario-record.ts';
import { releaseOf } from '../common/postgres.ts';
import { type DockerImage, findImage } from './engine.ts';

const defaultPostgresVersion = '17';
const defaultOpenSearchVersion = '2';
/** As in the official image up to version 17. */
const usualFolder = '/var/lib/postgresql/data';

/** The image of a Postgres: the one named, else the official one of the version. */
export function postgresImage({ image, version }: PostgresRelease = {}): string {
  return image ?? `postgres:${version ?? defaultPostgresVersion}`;
}

/** The image of an OpenSearch: the one named, else the official one of the version. */
export function openSearchImage({ image, version }: Pick<OpenSearchSpec, 'image' | 'version'> = {}): string {
  return image ?? `opensearchproject/opensearch:${version ?? defaultOpenSearchVersion}`;
}

/**
 * The images of all servers of a run in containers, without those of variants that say by themselves where their server
 * comes from.
 */
export function imagesOf({ stack, variants }: Pick<ResolvedScenario, 'stack' | 'variants'>): readonly string[] {
  const { postgres, opensearch = false } = stack;
  const releases = variants
    .filter(hasPostgres)
    .map(({ treatment }) => treatment?.postgres ?? {})
    .filter((own) => own.stack === undefined);
  const search = opensearch === false ? [] : [openSearchImage(opensearch === true ? {} : opensearch)];
  return [...new Set([...releases.map((own) => postgresImage(releaseOf(postgres, own))), ...search])];
}

/**
 * Where in a container the data of a Postgres image is to be put: the image's own volume with PGDATA in it, which has the
 * right owner. From version 18 on PGDATA is deeper than its volume, and Percona's image has volumes for other things too.
 */
export function postgresFolder({ volumes, env }: Pick<DockerImage, 'volumes' | 'env'>): string {
  const { PGDATA: data = usualFolder } = env;
  const around = volumes.filter((volume) => `${data}/`.startsWith(`${volume}/`));
  return around.sort((a, b) => b.length - a.length)[0] ?? env.PGDATA ?? volumes[0] ?? usualFolder;
}

export interface PullOptions {
  readonly reaper: Reaper;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** An image, which is pulled where it is not at hand. Throws PgsweepError('stack') where that fails. */
export async function ensureImage(name: string, { reaper, onProgress, signal }: PullOptions): Promise<DockerImage> {
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
