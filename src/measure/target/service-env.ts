import { libpqEnv, withoutLibpqEnv } from '../../base/libpq-env.ts';
import type { CommandTarget } from '../../journal/scenario-record.ts';
import type { TargetOptions } from './target.ts';

/** Environment of an arm's service besides its port. Commands that prepare its data get it too. */
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
