import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import getPort from 'get-port';
import { once } from '../../../base/async/once.ts';
import { PgsweepError } from '../../../base/errors.ts';
import { requireDockerSpace } from '../common/disk-space.ts';
import type {
  PostgresOptions,
  PostgresStart,
  PreparedPostgres,
  SettingValue,
  StartedPostgres,
} from '../common/postgres.ts';
import { createExtensions } from '../common/preload.ts';
import { query } from '../common/query.ts';
import { makeServerFolder, type ServerFolder } from '../common/server-folder.ts';
import { mergeSettings, settingsBelow } from '../common/settings.ts';
import { cannotStart, superuserUrl, waitUntilReady } from '../common/start-postgres.ts';
import { refuseTakenPort } from '../common/taken-port.ts';
import { type ComposeProject, commandLine, composeProject, limitVariables, runLabel } from './compose.ts';
import { type WatchedContainer, watchContainer } from './container.ts';
import { type DockerEngine, type DockerImage, docker } from './engine.ts';
import { ensureImage, postgresFolder, postgresImage } from './image.ts';

/** Parts of a Postgres in a container. */
interface Recipe {
  readonly engine: DockerEngine;
  readonly image: DockerImage;
  readonly options: PostgresOptions;
  readonly settings: Readonly<Record<string, SettingValue>>;
  readonly password: string;
  /** For logs of which nobody said where. */
  readonly folder: ServerFolder;
}

const freePortTries = 3;
const copyLimitMs = 600_000;
const portInside = 5432;

const publishedNote =
  'the port of the container is published by a proxy, which takes its part of every latency and half of the throughput';

/**
 * Prepares a Postgres in its own container with its data in a volume, to be started any number of times. The image is pulled
 * where it is not at hand. Throws PgsweepError('stack') saying what to do.
 */
export async function prepareDockerPostgres(engine: DockerEngine, options: PostgresOptions): Promise<PreparedPostgres> {
  const { reaper } = options;
  const recipe = await makeRecipe(engine, options);
  const project = composeProject(engine, 'postgres', reaper);
  const projects = [project];
  return {
    start: (start = {}) => startContainer(recipe, project, start),
    async copy() {
      const copy = composeProject(engine, 'postgres', reaper);
      projects.push(copy);
      await copyVolume(recipe, project, copy);
      return { start: (start = {}) => startContainer(recipe, copy, start) };
    },
    async remove() {
      await Promise.all(projects.map((each) => each.remove()));
      await recipe.folder.remove();
    },
  };
}

async function makeRecipe(engine: DockerEngine, options: PostgresOptions): Promise<Recipe> {
  const { reaper, signal, onProgress = () => {}, server = {} } = options;
  const settings = mergeSettings(options.settings, settingsBelow(options), options.preload);
  requireDockerSpace(engine, 'run Postgres');
  const image = await ensureImage(postgresImage(server), { reaper, onProgress, signal });
  const password = randomBytes(18).toString('base64url');
  return { engine, image, options, settings, password, folder: await makeServerFolder(undefined, reaper) };
}

async function startContainer(
  usual: Recipe,
  project: ComposeProject,
  { settings, port: fixedPort, logFile, onProgress = () => {} }: PostgresStart,
): Promise<StartedPostgres> {
  const recipe = { ...usual, settings: mergeSettings(settings, usual.settings, usual.options.preload) };
  const { image, options, password, folder } = recipe;
  if (fixedPort !== undefined) await refuseTakenPort('Postgres', fixedPort);
  onProgress(`starting Postgres (container of ${image.name})`);
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await getPort({ host: '127.0.0.1' }));
    await project.up(variablesOf(recipe, port));
    const container = await watchContainer(
      project.container,
      logFile ?? join(folder.path, 'postgres.log'),
      options.reaper,
    );
    const failure = await waitUntilReady(container.exited, superuserUrl({ host: '127.0.0.1', port }, password));
    if (failure === undefined) {
      const server = await started(recipe, { container, port, project });
      onProgress(`Postgres ${server.version} is ready on port ${port} (container)`);
      return server;
    }
    const log = await container.tail(40);
    await container.close();
    await project.down('kill');
    const lost = log.some((line) => line.includes('Address already in use'));
    if (!lost || fixedPort !== undefined || attempt === freePortTries) throw notStarted(failure, log, port, recipe);
  }
}

function notStarted(failure: string, log: readonly string[], port: number, { image, settings }: Recipe): PgsweepError {
  const { code, message, hint, setting } = cannotStart(failure, log, port, settings);
  return new PgsweepError(code, `in a container of ${image.name}: ${message}`, { hint, setting });
}

function variablesOf({ engine, image, options, settings, password }: Recipe, port: number): Record<string, string> {
  const inside = engine.hostNetwork ? { port, listen_addresses: '127.0.0.1' } : { port: portInside };
  const args = Object.entries({ ...settings, ...inside }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return {
    PGSWEEP_POSTGRES_IMAGE: image.name,
    PGSWEEP_POSTGRES_COMMAND: commandLine(['postgres', ...args]),
    PGSWEEP_POSTGRES_PORT: String(port),
    PGSWEEP_POSTGRES_PASSWORD: password,
    PGSWEEP_POSTGRES_FOLDER: postgresFolder(image),
    ...limitVariables('postgres', options.server ?? {}),
  };
}

interface Running {
  readonly container: WatchedContainer;
  readonly port: number;
  readonly project: ComposeProject;
}

async function started(recipe: Recipe, { container, port, project }: Running): Promise<StartedPostgres> {
  const { image, password, engine, options } = recipe;
  const adminUrl = (database?: string): string => superuserUrl({ host: '127.0.0.1', port }, password, database);
  await createExtensions(adminUrl(), options.preload ?? []);
  const [row] = await query(adminUrl(), 'SHOW server_version');
  const stop = once(() => project.down('clean').then(() => container.close()));
  return {
    kind: 'docker',
    own: true,
    // `15.18 (Debian 15.18-0+deb12u1)`
    version: String(row?.server_version).split(' ')[0] ?? '',
    binaries: `image ${image.name} (${image.digest.slice(0, 19)})`,
    port,
    pid: container.pid,
    container: container.id,
    ...(container.cgroup !== null && { cgroup: container.cgroup }),
    ...(!engine.hostNetwork && { note: publishedNote }),
    logFile: container.logFile,
    exited: container.exited,
    adminUrl,
    logTail: async (lines = 40) => (await container.tail(lines)).join('\n'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** As files, by the image's own `cp`: the data of a server that is down, into a volume that the copy's project takes over. */
async function copyVolume({ image, options }: Recipe, from: ComposeProject, to: ComposeProject): Promise<void> {
  const labels = [runLabel, `com.docker.compose.project=${to.name}`, `com.docker.compose.volume=${to.service}`];
  const { reaper } = options;
  const container = `${to.name}-copy`;
  reaper.watchCommand(container, ['docker', 'rm', '--force', container]);
  try {
    await docker(['volume', 'create', ...labels.flatMap((label) => ['--label', label]), to.volume]);
    const mounts = [`${from.volume}:/from:ro`, `${to.volume}:/to`].flatMap((mount) => ['--volume', mount]);
    const how = ['--rm', '--name', container, '--label', runLabel, '--user', '0', '--network', 'none'];
    await docker(['run', ...how, ...mounts, '--entrypoint', 'cp', image.name, '-a', '/from/.', '/to/'], copyLimitMs);
    reaper.forgetCommand(container);
  } catch (cause) {
    throw new PgsweepError('stack', `cannot copy the data of Postgres in ${from.volume}: ${cause}`, {
      hint: "Each variant with settings of the server has a copy. Is there room on the disk of Docker's data?",
      cause,
    });
  }
}
