import { randomBytes } from 'node:crypto';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { runLabel } from '../../stack/docker/compose.ts';
import { docker, findDocker } from '../../stack/docker/engine.ts';
import { ensureImage } from '../../stack/docker/image.ts';
import type { PgBouncer } from './program.ts';
import { versionIn } from './program.ts';

const known = new Map<string, Promise<PgBouncer>>();

/** The PgBouncer of an image, which is pulled if it is missing. Throws PgsweepError `stack` if it cannot be pulled. */
export function pgBouncerOf(image: string, reaper: Reaper, signal: AbortSignal): Promise<PgBouncer> {
  const found = known.get(image) ?? lookInto(image, reaper, signal);
  known.set(image, found);
  // It may succeed the next time.
  found.catch(() => known.delete(image));
  return found;
}

async function lookInto(image: string, reaper: Reaper, signal: AbortSignal): Promise<PgBouncer> {
  const engine = await findDocker();
  if ('why' in engine) throw new PgsweepError('stack', `${engine.why}: ${engine.detail}`, { hint: engine.hint });
  if (!engine.hostNetwork)
    throw new PgsweepError(
      'stack',
      `the PgBouncer of ${image} needs the network of this machine, which containers do not have here`,
      {
        hint: 'Leave the image out: then it is a program of this machine.',
      },
    );
  await ensureImage(image, { reaper, onProgress: () => {}, signal });
  try {
    const says = await docker([
      'run',
      '--rm',
      '--label',
      runLabel,
      '--network',
      'none',
      '--entrypoint',
      'pgbouncer',
      image,
      '--version',
    ]);
    return { program: `pgbouncer of the image ${image}`, version: versionIn(says) };
  } catch (cause) {
    throw new PgsweepError('stack', `the image ${image} has no pgbouncer that runs: ${messageOf(cause)}`, { cause });
  }
}

/** A container that runs PgBouncer in the foreground and is removed when it ends. */
export interface PoolerContainer {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

/** On this machine's network: a port that is published by a proxy would be measured with it. */
export function containerOf(
  image: string,
  ini: string,
  folder: string,
  user: { uid: number; gid: number },
): PoolerContainer {
  const name = `pgsweep-pooler-${randomBytes(5).toString('hex')}`;
  const how = ['--rm', '--name', name, '--label', runLabel, '--network', 'host', '--user', `${user.uid}:${user.gid}`];
  const mount = ['--volume', `${folder}:${folder}:ro`, '--entrypoint', 'pgbouncer'];
  return { name, command: ['docker', 'run', ...how, ...mount, image, ini] };
}

/** The pid of a container's process on this machine; null where the engine does not say. */
export async function pidOf({ name }: PoolerContainer): Promise<number | null> {
  const pid = Number(await docker(['inspect', '--format', '{{.State.Pid}}', name]).catch(() => 0));
  return pid > 0 ? pid : null;
}
