import { libpqEnv, withoutLibpqEnv } from '../../base/libpq-env.ts';
import type { CommandTarget } from '../../journal/scenario-record.ts';
import type { TargetOptions } from './target.ts';

/** What an arm's service is given besides its port, and so is whatever prepares its data. */
export function serviceEnv(
  { env, databaseUrlVariable }: Pick<CommandTarget, 'env' | 'databaseUrlVariable'>,
  { databaseUrl, search, armName }: Pick<TargetOptions, 'databaseUrl' | 'search' | 'armName'>,
): NodeJS.ProcessEnv {
  return {
    ...withoutOtherServers(process.env),
    NODE_ENV: 'production',
    ...env,
    ...(armName !== undefined && { PGSWEEP_ARM: armName }),
    ...(databaseUrl !== null && { [databaseUrlVariable]: databaseUrl, ...libpqEnv(databaseUrl) }),
    ...(search && { OPENSEARCH_URL: search.url, OPENSEARCH_INDEX_PREFIX: search.indexPrefix }),
  };
}

/** The user's own servers are not those of the arm. */
function withoutOtherServers(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { OPENSEARCH_URL: _, OPENSEARCH_INDEX_PREFIX: __, ...others } = withoutLibpqEnv(env);
  return others;
}
