import { PgsweepError } from '../../../base/errors.ts';
import { maskKnown } from '../../../base/secrets.ts';
import { oneLine } from '../../../base/visible.ts';
import { mostPoolerConnections, type PoolerSpec } from '../../../journal/link/pooler.ts';
import { poolSizeIn } from '../../../journal/pool-size.ts';
import type { ResolvedScenario, Variant } from '../../../journal/scenario-record.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import type { OpenedLink, RunningPooler, WatchedTry } from '../link.ts';
import { type SeenStatements, watchStatements } from '../watch/watch-statements.ts';
import { type BrokenFeature, type BrokenUse, brokenUses } from './broken-features.ts';

/** Reads along what a service sends to its pooler; null where there is none. */
export async function watchPooled(variant: Variant, link: OpenedLink | null): Promise<WatchedTry | null> {
  if (variant.pooler === undefined || link?.pooler === undefined) return null;
  const { mode } = variant.pooler;
  const { pooler } = link;
  const watched = await watchStatements(link.url);
  const uses = async (): Promise<BrokenUse[]> =>
    brokenUses(watched.seen(), { mode, keepsPrepared: await keepsPrepared(pooler) });
  return {
    url: watched.url,
    async findings() {
      const broken = await uses();
      if (broken.some(({ fails }) => fails)) throw breaks(variant.name, mode, broken);
      if (broken.length === 0)
        return [ok('pooler', `"${variant.name}" was seen to use nothing that ${mode} mode breaks`)];
      return broken.map((use) => warning('pooler', useWords(variant.name, mode, use), adviceOf([use])));
    },
    async explained(error) {
      if (!(error instanceof PgsweepError) || error.code !== 'target') return error;
      // Its console may be gone with it.
      const broken = await uses().catch(() => []);
      return explainedError(error, { name: variant.name, mode, uses: broken, seen: watched.seen() });
    },
    close: watched.close,
  };
}

/** True if it follows named prepared statements from connection to connection; before 1.21 there is no such setting. */
async function keepsPrepared({ show }: RunningPooler): Promise<boolean> {
  const rows = await show('CONFIG');
  return Number(rows.find(({ key }) => key === 'max_prepared_statements')?.value ?? 0) > 0;
}

function breaks(name: string, mode: PoolerSpec['mode'], uses: readonly BrokenUse[]): PgsweepError {
  return new PgsweepError('target', uses.map((use) => useWords(name, mode, use)).join('\n'), {
    hint: adviceOf(uses.filter(({ fails }) => fails)),
  });
}

interface Trouble {
  readonly name: string;
  readonly mode: PoolerSpec['mode'];
  readonly uses: readonly BrokenUse[];
  readonly seen: Pick<SeenStatements, 'errors'>;
}

/** This many errors of a database tell enough. */
const MOST_ERRORS = 5;

/** The error of a service that was tried, with what its pooler or database refused and what the mode breaks. */
export function explainedError(error: PgsweepError, { name, mode, uses, seen }: Trouble): PgsweepError {
  const refused = seen.errors.slice(0, MOST_ERRORS).map(({ code, text }) => `${maskKnown(text)} (${code})`);
  const said = [
    ...(refused.length === 0 ? [] : [`Through PgBouncer in ${mode} mode its database refused: ${refused.join('; ')}`]),
    ...uses.map((use) => useWords(name, mode, use)),
  ];
  const lines = said.filter((line) => !error.message.includes(line));
  if (lines.length === 0) return error;
  const parameter = /unsupported startup parameter(?: in options)?: (\w+)/.exec(refused.join(' '))?.[1];
  const advice =
    parameter === undefined
      ? uses.length === 0
        ? error.hint
        : adviceOf(uses)
      : `PgBouncer drops it where pooler.pgbouncer has ignoreStartupParameters: ${parameter}; the service then does without it.`;
  return new PgsweepError('target', [error.message, ...lines].join('\n'), {
    ...(advice !== undefined && { hint: advice }),
    cause: error,
  });
}

const consequences: Readonly<Record<BrokenFeature, string>> = {
  'named prepared statements': 'the next use may come to a connection that does not know the name',
  PREPARE: 'the next EXECUTE may come to a connection that does not know the name',
  transactions: 'each statement is by itself, and BEGIN is refused',
  SET: 'it holds for whoever has the connection next, and not for the client that set it',
  LISTEN: 'no notification reaches the client',
  'currval, lastval':
    'outside of the transaction of nextval it is the value of another client, or an error: INSERT ... RETURNING has it',
  'advisory locks': 'the lock stays with the connection, and unlocking may come to another',
  'temporary tables': 'the next statement may come to a connection without the table, or to one that has it already',
  'cursors WITH HOLD': 'the next FETCH may come to a connection without the cursor',
  LOAD: 'only the connection that ran it has the library',
};

function useWords(name: string, mode: PoolerSpec['mode'], { feature, statement }: BrokenUse): string {
  return `"${name}" uses ${feature}, which ${mode} mode of PgBouncer breaks: ${consequences[feature]}. Seen: ${oneLine(maskKnown(statement), MOST_CHARACTERS)}`;
}

function adviceOf(uses: readonly BrokenUse[]): string {
  const isPrepared = uses.some(({ feature }) => feature === 'named prepared statements');
  const prepared =
    'With PgBouncer 1.21 and later maxPreparedStatements: 100 keeps them; else send statements without a name (pg: no name; pgjdbc: prepareThreshold=0).';
  return [...(isPrepared ? [prepared] : []), 'mode: session keeps everything.'].join(' ');
}

const MOST_CHARACTERS = 160;

/** PgBouncer's own max_client_conn. */
const MAX_CLIENT_CONN = 100;

/** The service's pool against that of PgBouncer, by variant, as far as both are known. */
export function examinePools(scenario: Pick<ResolvedScenario, 'target' | 'variants'>): Finding[] {
  return scenario.variants.flatMap((variant): Finding[] => {
    const { name, pooler } = variant;
    const pool = poolSizeIn(scenario, variant);
    if (pooler === undefined || pool === null) return [];
    const { mode, maxClientConn = MAX_CLIENT_CONN } = pooler;
    const most = mostPoolerConnections(pooler);
    if (pool > maxClientConn)
      return [
        warning(
          'pooler',
          `the service's pool of "${name}" may open ${pool} connections, and PgBouncer lets ${maxClientConn} clients in`,
          `Set pooler.pgbouncer.maxClientConn: ${pool}.`,
        ),
      ];
    if (mode === 'session' && pool > most)
      return [
        warning(
          'pooler',
          `the service's pool of "${name}" may open ${pool} connections, and in session mode each keeps one of PgBouncer's ${most}: the others wait until one is closed`,
          'Make the pool no larger than PgBouncer, or use transaction mode.',
        ),
      ];
    return [];
  });
}
