import { execFileSync } from 'node:child_process';
import { type DockerEngine, findDocker, findImage } from '../../src/stack/docker-engine.ts';

const {
  PGSWEEP_TEST_POSTGRES_IMAGE: postgres = '',
  PGSWEEP_TEST_OTHER_POSTGRES_IMAGE: otherPostgres = '',
  PGSWEEP_TEST_OPENSEARCH_IMAGE: openSearch = '',
} = process.env;

/** The images that container tests use; `.ci/run` builds them. */
export const testImages = { postgres, otherPostgres, openSearch };

const found = await findDocker();

async function whyWithout(image: string): Promise<string | null> {
  if ('why' in found) return `skipped: ${found.why}`;
  if (image === '') return 'skipped: no image for tests (test/docker/build-images makes them)';
  return (await findImage(image)) === null ? `skipped: no image ${image}` : null;
}

/** Why tests with containers of Postgres, of another version, or of OpenSearch, cannot run here; null where they can. */
export const whyNoDocker = {
  postgres: await whyWithout(postgres),
  otherPostgres: await whyWithout(otherPostgres),
  openSearch: await whyWithout(openSearch),
};

/** Why tests with published ports cannot run here: they need a bridge besides. */
export const whyNoPublishedPorts = whyNoDocker.postgres ?? whyNoBridge();

function whyNoBridge(): string | null {
  const networks = dockerSays('network', 'ls', '--filter', 'driver=bridge', '--format', '{{.Name}}').split('\n');
  return networks.includes('bridge') ? null : 'skipped: this Docker engine has no bridge';
}

/** The name of a group of tests that need containers, with the reason where it is skipped. */
export function needsDocker(name: string, server: keyof typeof whyNoDocker = 'postgres'): string {
  const why = whyNoDocker[server];
  return why === null ? name : `${name} (${why})`;
}

/** Inside a test that needs it. */
export function dockerEngine(): DockerEngine {
  if ('why' in found) throw new Error(found.why);
  return found;
}

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
