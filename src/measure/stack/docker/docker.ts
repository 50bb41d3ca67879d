import { PgsweepError } from '../../../base/errors.ts';
import type { Needs, StackKind, StackServers } from '../kind.ts';
import { type DockerEngine, findDocker, findImage } from './engine.ts';
import { imagesOf, postgresImage } from './image.ts';

/** Containers, where an engine with compose v2 answers. */
export const docker: StackKind = {
  own: true,
  contained: true,
  costs: { start: 1000, copy: 700, restart: 500, openSearch: 7000 },
  versionOf: (release) => (release.image === undefined ? (postgresImage(release).split(':')[1] ?? null) : null),
  async open() {
    const engine = await findDocker();
    if ('why' in engine) throw new PgsweepError('stack', `${engine.why}: ${engine.detail}`, { hint: engine.hint });
    return serversOf(engine);
  },
  async offer(needs) {
    const engine = await findDocker();
    if ('why' in engine) return { servers: null, reason: engine.why };
    const missing = await missingImage(needs);
    if (missing !== null) return { servers: null, reason: `image ${missing} not at hand: docker pull ${missing}` };
    const reason = `Docker ${engine.version}, compose ${engine.composeVersion}, images at hand`;
    return { servers: serversOf(engine), reason };
  },
};

/** Loaded with the first server: `--help` names the kinds too, and starts none. */
function serversOf(engine: DockerEngine): StackServers {
  return {
    preparePostgres: async (options) => (await import('./postgres.ts')).prepareDockerPostgres(engine, options),
    startOpenSearch: async (options) => (await import('./opensearch.ts')).startDockerOpenSearch(engine, options),
  };
}

async function missingImage(needs: Needs): Promise<string | null> {
  for (const name of imagesOf(needs)) if ((await findImage(name)) === null) return name;
  return null;
}
