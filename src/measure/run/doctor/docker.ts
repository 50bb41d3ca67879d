import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { type Finding, ok, problem, warning } from '../../finding.ts';
import { type DockerEngine, findDocker, findImage, type NoDocker } from '../../stack/docker/engine.ts';
import { imagesOf } from '../../stack/docker/image.ts';

/** Docker, which is used where it is there and has the images. Without it only a run that asks for it does not start. */
export async function examineDocker(
  scenario: Pick<ResolvedScenario, 'stack' | 'variants'>,
  needed: boolean,
): Promise<Finding[]> {
  const engine = await findDocker();
  if ('why' in engine) return [dockerMissing(engine, needed)];
  const names = imagesOf(scenario);
  return [dockerFound(engine), ...(names.length === 0 ? [] : [await images(names)])];
}

function dockerMissing({ why, detail, hint }: NoDocker, needed: boolean): Finding {
  const found = `${why} (${detail})`;
  return needed ? problem('docker', found, hint) : ok('docker', `${found}: servers are programs of this machine`);
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

async function images(names: readonly string[]): Promise<Finding> {
  const missing: string[] = [];
  for (const name of names) if ((await findImage(name)) === null) missing.push(name);
  return missing.length === 0
    ? ok('images', `at hand: ${names.join(', ')}`)
    : ok('images', `not at hand: ${missing.join(', ')} (docker pull NAME; --stack docker pulls them itself)`);
}
