import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { once } from '../../../base/async/once.ts';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { CommandEnv } from '../../../base/process/reaper.ts';
import { dropDatabase } from '../common/databases.ts';
import { hintOfFullServer } from '../common/full-server.ts';
import type { PostgresOptions, StartedPostgres } from '../common/postgres.ts';
import { query, withConnection } from '../common/query.ts';
import { wholeUrl, withPassword } from './whole-url.ts';

interface ServerFacts {
  readonly version: string;
  readonly user: string;
  readonly mayCreate: boolean;
  readonly mayCheckpoint: boolean;
  /** The password of the connection, also where it is from ~/.pgpass. */
  readonly password: string | null;
}

const factsSql = `
  SELECT current_setting('server_version') AS version, rolname AS "user", rolsuper OR rolcreatedb AS "mayCreate",
    rolsuper OR EXISTS (SELECT FROM pg_roles c WHERE c.rolname = 'pg_checkpoint' AND pg_has_role(r.oid, c.oid, 'USAGE'))
      AS "mayCheckpoint"
  FROM pg_roles r WHERE rolname = current_user`;

/**
 * A server that somebody else runs. Its settings are what they are; databases are made under names that no other run has,
 * and `stop`, or the reaper, drops these and nothing else. Throws PgsweepError('stack') where it cannot be reached, or its
 * user may not create databases.
 */
export async function openExternalPostgres(
  given: string,
  { reaper, onProgress = () => {} }: Pick<PostgresOptions, 'reaper' | 'onProgress'>,
): Promise<StartedPostgres> {
  const known = wholeUrl(requireUrl(given));
  const { version, user, mayCreate, mayCheckpoint, password } = await readFacts(known);
  const url = withPassword(known, password);
  const host = shownHost(url);
  if (!mayCreate) {
    throw new PgsweepError('stack', `the user ${user} of ${host} may not create databases`, {
      hint: `As a superuser: ALTER ROLE "${user}" CREATEDB. Each arm has a copy of the data set in its own database.`,
    });
  }
  const adminUrl = (database?: string): string => {
    if (database === undefined) return url;
    const other = new URL(url);
    other.pathname = `/${encodeURIComponent(database)}`;
    return other.href;
  };
  onProgress(`Postgres ${version} answers on ${host} (external)`);
  const databasePrefix = `pgsweep_${randomBytes(5).toString('hex')}_`;
  reaper.watchCommand(databasePrefix, ...dropLeftCommand(url, databasePrefix));
  const stop = once(() => dropAll({ adminUrl }, databasePrefix).then(() => reaper.forgetCommand(databasePrefix)));
  return {
    kind: 'external',
    own: false,
    databasePrefix,
    version: version.split(' ')[0] ?? version,
    binaries: `server on ${host}`,
    port: Number(new URL(url).port || 5432),
    pid: null,
    ...(!mayCheckpoint && {
      note: `${user} may not CHECKPOINT (as a superuser: GRANT pg_checkpoint TO "${user}"), so arms start at any distance from one`,
    }),
    logFile: '',
    exited: new Promise(() => {}),
    adminUrl,
    logTail: async () => 'the log of an external server is its own',
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The folder of a socket is encoded in a URL. */
function shownHost(url: string): string {
  return decodeURIComponent(new URL(url).host);
}

function requireUrl(url: string): string {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url;
  throw new PgsweepError('usage', '--postgres: expected a URL such as postgres://user:password@host:5432/postgres');
}

async function readFacts(url: string): Promise<ServerFacts> {
  const { username } = new URL(url);
  try {
    return await withConnection(url, async (run, { password }) => {
      const [row] = await run(factsSql);
      return { ...(row as unknown as ServerFacts), password: typeof password === 'string' ? password : null };
    });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    throw new PgsweepError('stack', `cannot use the Postgres on ${shownHost(url)}: ${messageOf(cause) || code}`, {
      hint:
        hintOfFullServer(cause) ??
        (/^28/.test(code)
          ? `Is the password of ${decodeURIComponent(username) || 'the user'} right, and does pg_hba.conf let it in?`
          : 'Does it run there, and is the URL right? To have one started: --stack embedded'),
      cause,
    });
  }
}

async function dropAll(server: Pick<StartedPostgres, 'adminUrl'>, prefix: string): Promise<void> {
  const rows = await query(server.adminUrl(), 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    prefix,
  ]);
  for (const { datname } of rows) await dropDatabase(server, String(datname));
}

/** The command, and its environment, that drops what a bench that was killed has left on the server. */
function dropLeftCommand(url: string, prefix: string): [command: [string, ...string[]], CommandEnv] {
  const script = fileURLToPath(new URL('./drop-left.mjs', import.meta.url));
  // By the environment, since everybody can read the arguments of a process.
  const variables = { PGSWEEP_LEFT_URL: withoutPassword(url), PGSWEEP_LEFT_PREFIX: prefix, NODE_OPTIONS: '' };
  return [[process.execPath, script], { variables, secrets: { PGSWEEP_LEFT_URL: url } }];
}

function withoutPassword(url: string): string {
  const bare = new URL(url);
  bare.password = '';
  bare.searchParams.delete('password');
  return bare.href;
}

/** Environment of a command that drops leftovers on the server of this URL: the ledger has no password. */
export function loginForLeft(url: string | undefined): NodeJS.ProcessEnv {
  if (url === undefined) return {};
  return { PGSWEEP_LEFT_LOGIN: URL.canParse(url) ? wholeUrl(url) : url };
}
