import { PgsweepError } from '../../../base/errors.ts';
import type { Needs, StackKind, StackServers } from '../kind.ts';
import { type DockerEngine, findDocker, findImage } from './engine.ts';
import { imagesOf, postgresImage } from './image.ts';
import { startDockerOpenSearch } from './opensearch.ts';
import { prepareDockerPostgres, startDockerPostgres } from './postgres.ts';

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

function serversOf(engine: DockerEngine): StackServers {
  return {
    startPostgres: (options) => startDockerPostgres(engine, options),
    preparePostgres: (options) => prepareDockerPostgres(engine, options),
    startOpenSearch: (options) => startDockerOpenSearch(engine, options),
  };
}

async function missingImage(needs: Needs): Promise<string | null> {
  for (const name of imagesOf(needs)) if ((await findImage(name)) === null) return name;
  return null;
}
