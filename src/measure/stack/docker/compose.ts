import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { PgsweepError } from '../../../base/errors.ts';
import { spawnWatched } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import type { ServerLimits } from '../../../journal/scenario-record.ts';
import type { DockerEngine } from './engine.ts';

/** One server's own compose project: what is made for it has its name, and goes with it. */
export interface ComposeProject {
  readonly name: string;
  readonly service: 'postgres' | 'opensearch';
  readonly container: string;
  /** With the server's data. */
  readonly volume: string;
  /** Recreates the container, with these variables of docker/compose.yaml, and starts it. */
  up(variables: Readonly<Record<string, string>>): Promise<void>;
  /** Stops and removes the container: at once, or when it has ended by itself within its grace period. Its data stays. */
  down(how: 'clean' | 'kill'): Promise<void>;
  /** Removes everything. Later calls wait for the first. */
  remove(): Promise<void>;
}

const composeFile = fileURLToPath(new URL('../../../../docker/compose.yaml', import.meta.url));
const publishFile = fileURLToPath(new URL('../../../../docker/compose.publish.yaml', import.meta.url));

/** Label of this process's containers and volumes; nothing without it is touched. */
export const runLabel = `dev.pgsweep.run=${randomBytes(6).toString('hex')}`;

/** Its own project, which the reaper removes when this process dies. Nothing is made yet. */
export function composeProject(
  { hostNetwork }: Pick<DockerEngine, 'hostNetwork'>,
  service: ComposeProject['service'],
  reaper: Reaper,
): ComposeProject {
  const name = `pgsweep-${randomBytes(5).toString('hex')}`;
  const files = hostNetwork ? [composeFile] : [composeFile, publishFile];
  const compose = (...args: string[]): [string, ...string[]] => [
    'docker',
    'compose',
    '--project-name',
    name,
    ...files.flatMap((file) => ['--file', file]),
    ...args,
  ];
  const removal = compose('down', '--volumes', '--timeout', '0');
  const run = async (command: [string, ...string[]], variables: Readonly<Record<string, string>> = {}) => {
    // In its own process group: a Ctrl-C ends the bench, which then takes down what this has finished to make.
    const child = await spawnWatched({ command, reaper, env: { ...ownEnvironment(), ...variables }, tailLines: 10 });
    const { code } = await child.exited;
    if (code !== 0) throw composeFailed(service, child.tail());
  };
  let removing: Promise<void> | undefined;
  reaper.watchCommand(name, removal);
  return {
    name,
    service,
    container: `${name}-${service}-1`,
    volume: `${name}_${service}`,
    up: (variables) =>
      run(compose('up', '--detach', '--no-build', service), {
        PGSWEEP_RUN: runLabel.split('=')[1] ?? '',
        PGSWEEP_PULL: 'never',
        PGSWEEP_NO_HEALTHCHECK: 'true',
        ...variables,
      }),
    // With the volumes that nobody has named: an image may have some besides the one with its data.
    down: (how) =>
      run(
        how === 'clean'
          ? compose('rm', '--stop', '--force', '--volumes', service)
          : ['docker', 'rm', '--force', '--volumes', `${name}-${service}-1`],
      ),
    remove() {
      removing ??= run(removal).then(() => reaper.forgetCommand(name));
      return removing;
    },
  };
}

/** Without what a caller may have set for a start by hand: it would change what is measured. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PGSWEEP_|^COMPOSE_/.test(name)));
}

function composeFailed(service: string, output: readonly string[]): PgsweepError {
  const said = output.filter((line) => !/^ (Volume|Network|Container) /.test(line)).join('\n');
  const full = /no space left on device/i.test(said);
  const limits = /cpuset|cpus|memory limit|range of cpus/i.test(said);
  return new PgsweepError('stack', `docker compose fails with ${service}: ${said}`, {
    hint: full
      ? "The disk of Docker's data is full: docker system prune frees what is unused; or --stack embedded."
      : limits
        ? `Correct cpus, cpuset and memory of stack.${service}.`
        : 'To go without containers: --stack embedded',
  });
}

/** The limits as variables of docker/compose.yaml. */
export function limitVariables(
  service: ComposeProject['service'],
  { cpus, cpuset, memory }: ServerLimits,
): Record<string, string> {
  const prefix = `PGSWEEP_${service.toUpperCase()}`;
  return {
    ...(cpus !== undefined && { [`${prefix}_CPUS`]: String(cpus) }),
    ...(cpuset !== undefined && { [`${prefix}_CPUSET`]: cpuset }),
    ...(memory !== undefined && { [`${prefix}_MEMORY`]: memory }),
  };
}

/** Words as one line for compose, which splits it as a shell would. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
