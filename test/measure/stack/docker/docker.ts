import { execFileSync } from 'node:child_process';

const {
  PGSWEEP_TEST_POSTGRES_IMAGE: postgres = '',
  PGSWEEP_TEST_OTHER_POSTGRES_IMAGE: otherPostgres = '',
  PGSWEEP_TEST_OPENSEARCH_IMAGE: openSearch = '',
} = process.env;

/** The images that container tests use; `.ci/run` builds them. */
export const testImages = { postgres, otherPostgres, openSearch };

/** What `docker` prints. */
export function dockerSays(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Builds an image from a folder of test/docker, out of those that are at hand. */
export function buildImage(name: string, folder: string, args: Readonly<Record<string, string>>): void {
  const buildArgs = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const command = ['build', '--quiet', '--network', 'none', ...buildArgs, '--tag', name, `test/docker/${folder}`];
  execFileSync('docker', command, { stdio: 'pipe', env: { ...process.env, DOCKER_BUILDKIT: '0' } });
}

/** Containers and volumes with a label, such as those of a run. */
export function labelled(label: string): string[] {
  const filter = ['--filter', `label=${label}`];
  const lines = [dockerSays('ps', '-aq', ...filter), dockerSays('volume', 'ls', '-q', ...filter)].join('\n');
  return lines.split('\n').filter((line) => line !== '');
}
