import { PgsweepError } from '../base/errors.ts';
import type { ResolvedScenario } from '../journal/scenario-record.ts';
import type { OpenSearchOptions, StartedOpenSearch } from './common/opensearch.ts';
import type { PostgresOptions, PreparedPostgres, StartedPostgres } from './common/postgres.ts';
import { type DockerEngine, findDocker, findImage, type NoDocker } from './docker/engine.ts';
import { imagesOf } from './docker/image.ts';
import { startDockerOpenSearch } from './docker/opensearch.ts';
import { prepareDockerPostgres, startDockerPostgres } from './docker/postgres.ts';
import { startEmbeddedOpenSearch } from './embedded/opensearch.ts';
import { prepareEmbeddedPostgres, startEmbeddedPostgres } from './embedded/postgres.ts';
import { openExternalOpenSearch } from './external/opensearch.ts';
import { openExternalPostgres } from './external/postgres.ts';

/** What is asked for: `auto` lets the machine decide. */
export interface StackChoice {
  readonly kind: 'auto' | 'docker' | 'embedded' | 'external';
  readonly postgresUrl?: string | undefined;
  readonly openSearchUrl?: string | undefined;
}

/** Where the servers of a run come from. */
export interface Stack {
  readonly kind: 'docker' | 'embedded' | 'external';
  /** Why this one, for people. */
  readonly reason: string;
  startPostgres(options: PostgresOptions): Promise<StartedPostgres>;
  /** For servers that are started again and again. An external one cannot be. */
  preparePostgres(options: Omit<PostgresOptions, 'port' | 'logFile'>): Promise<PreparedPostgres>;
  startOpenSearch(options: OpenSearchOptions): Promise<StartedOpenSearch>;
}

/** What decides which servers there are. */
type Needs = Pick<ResolvedScenario, 'stack' | 'variants'>;

/**
 * Chooses the stack. `auto`: containers where an engine with compose v2 answers and the images are at hand, else
 * programs of this machine. Throws PgsweepError('stack' or 'usage') where what was asked for cannot be had.
 */
export async function chooseStack(choice: StackChoice, needs: Needs): Promise<Stack> {
  if (choice.kind === 'external') return externalStack(choice);
  if (choice.kind === 'embedded') return ownServers({ kind: 'embedded', reason: 'asked for' });
  const engine = await findDocker();
  if (choice.kind === 'docker') {
    if ('why' in engine) throw noDocker(engine);
    return ownServers({ kind: 'docker', reason: 'asked for' }, engine);
  }
  if ('why' in engine) return ownServers({ kind: 'embedded', reason: engine.why });
  const missing = await missingImage(needs);
  if (missing !== null) {
    const reason = `image ${missing} not at hand: docker pull ${missing}`;
    return ownServers({ kind: 'embedded', reason }, engine);
  }
  const reason = `Docker ${engine.version}, compose ${engine.composeVersion}, images at hand`;
  return ownServers({ kind: 'docker', reason }, engine);
}

async function missingImage(needs: Needs): Promise<string | null> {
  for (const name of imagesOf(needs)) if ((await findImage(name)) === null) return name;
  return null;
}

/** Servers that the bench starts itself. One may ask to be of another kind than the rest. */
function ownServers(chosen: Pick<Stack, 'kind' | 'reason'>, found?: DockerEngine): Stack {
  const engine = async (): Promise<DockerEngine> => {
    const at = found ?? (await findDocker());
    if ('why' in at) throw noDocker(at);
    return at;
  };
  const inContainer = ({ server }: Pick<PostgresOptions, 'server'>): boolean =>
    (server?.stack ?? chosen.kind) === 'docker';
  return {
    ...chosen,
    startPostgres: async (options) =>
      inContainer(options) ? startDockerPostgres(await engine(), options) : startEmbeddedPostgres(options),
    preparePostgres: async (options) =>
      inContainer(options) ? prepareDockerPostgres(await engine(), options) : prepareEmbeddedPostgres(options),
    startOpenSearch: async (options) =>
      chosen.kind === 'docker' ? startDockerOpenSearch(await engine(), options) : startEmbeddedOpenSearch(options),
  };
}

function externalStack({ postgresUrl, openSearchUrl }: StackChoice): Stack {
  return {
    kind: 'external',
    reason: 'asked for',
    startPostgres: async (options) => openExternalPostgres(given(postgresUrl, 'Postgres', 'DATABASE_URL'), options),
    async preparePostgres() {
      throw new PgsweepError('scenario', "a Postgres server that is not the bench's cannot be started again", {
        hint: 'Remove what needs a server of its own, or use --stack embedded or docker.',
      });
    },
    startOpenSearch: async (options) =>
      openExternalOpenSearch(given(openSearchUrl, 'OpenSearch', 'OPENSEARCH_URL'), options),
  };
}

function given(url: string | undefined, server: 'Postgres' | 'OpenSearch', variable: string): string {
  if (url !== undefined) return url;
  throw new PgsweepError('usage', `--stack external needs the URL of ${server}`, {
    hint: `Give it by --${server.toLowerCase()} URL, or as ${variable}.`,
  });
}

function noDocker({ why, detail, hint }: NoDocker): PgsweepError {
  return new PgsweepError('stack', `${why}: ${detail}`, { hint });
}
