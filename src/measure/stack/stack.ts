import { forgetSessionEnv } from '../../base/libpq-env.ts';
import type { PostgresRelease } from '../../journal/scenario-record.ts';
import type { Needs, ServerUrls, StackServers } from './kind.ts';
import { type StackName, stackKinds, stackNames } from './kinds.ts';

/** Requested kind: `auto` lets the machine decide. */
export interface StackChoice extends ServerUrls {
  readonly kind: 'auto' | StackName;
}

/** Where the servers of a run come from. */
export interface Stack extends StackServers {
  readonly kind: StackName;
  /** Why this one, for people. */
  readonly reason: string;
}

/**
 * Chooses the stack. `auto`: containers where an engine with compose v2 answers and the images are at hand, else
 * programs of this machine. Throws PgsweepError('stack' or 'usage') where what was asked for cannot be had.
 */
export async function chooseStack(choice: StackChoice, needs: Needs): Promise<Stack> {
  if (choice.kind !== 'auto') {
    return stackOf(choice.kind, 'asked for', await stackKinds[choice.kind].open(choice));
  }
  let reason = '';
  for (const kind of stackNames) {
    const offer = await stackKinds[kind].offer?.(needs, reason);
    if (offer === undefined) continue;
    ({ reason } = offer);
    if (offer.servers !== null) return stackOf(kind, reason, offer.servers);
  }
  throw new Error(`no stack suits: ${reason}`);
}

/** One server may be asked to be of another kind than the rest. */
function stackOf(kind: StackName, reason: string, servers: StackServers): Stack {
  forgetSessionEnv(process.env, { isOwn: stackKinds[kind].own });
  const serversFor = async (server: PostgresRelease | undefined): Promise<StackServers> =>
    server?.stack === undefined || server.stack === kind ? servers : stackKinds[server.stack].open({});
  return {
    kind,
    reason,
    preparePostgres: async (options) => (await serversFor(options.server)).preparePostgres(options),
    startOpenSearch: (options) => servers.startOpenSearch(options),
  };
}
