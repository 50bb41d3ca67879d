import { type DockerEngine, findDocker, findImage, type NoDocker } from '../../stack/docker-engine.ts';
import { openSearchImage, postgresImage } from '../../stack/docker-image.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Docker, which is used where it is there and has the images; runs work without. */
export async function examineDocker(): Promise<Finding[]> {
  const engine = await findDocker();
  if ('why' in engine) return [dockerMissing(engine)];
  return [dockerFound(engine), await images()];
}

function dockerMissing({ why, detail }: NoDocker): Finding {
  return ok('docker', `${why} (${detail}): Postgres is started from programs on this machine`);
}

function dockerFound({ version, composeVersion, hostNetwork }: DockerEngine): Finding {
  const found = `engine ${version}, compose ${composeVersion}, ${hostNetwork ? 'host network' : 'published ports'}`;
  if (hostNetwork) return ok('docker', found);
  return warning(
    'docker',
    found,
    'Every request to a container goes through a proxy, which takes up to half of the throughput: --stack embedded has none.',
  );
}

async function images(): Promise<Finding> {
  const missing: string[] = [];
  for (const name of [postgresImage(), openSearchImage()]) {
    if ((await findImage(name)) === null) missing.push(name);
  }
  return missing.length === 0
    ? ok('images', 'at hand')
    : ok('images', `not at hand: ${missing.join(', ')} (docker pull NAME; --stack docker pulls them itself)`);
}
