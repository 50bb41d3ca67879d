import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { once } from '../../../base/async/once.ts';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { CommandEnv } from '../../../base/process/reaper.ts';
import { rememberSecret } from '../../../base/secrets.ts';
import { dropDatabase } from '../common/databases.ts';
import { hintOfFullServer } from '../common/full-server.ts';
import type { PostgresOptions, StartedPostgres } from '../common/postgres.ts';
import { query, withConnection } from '../common/query.ts';

interface ServerFacts {
  readonly version: string;
  readonly user: string;
  readonly mayCreate: boolean;
  readonly mayCheckpoint: boolean;
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
  const { host, port } = requireUrl(given);
  const url = withLogin(given);
  const { version, user, mayCreate, mayCheckpoint } = await readFacts(url);
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
    port: Number(port || 5432),
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

function requireUrl(url: string): URL {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return new URL(url);
  throw new PgsweepError('usage', '--postgres: expected a URL such as postgres://user:password@host:5432/postgres');
}

/** The URL with the user and password by which it is used here: services get the URL, and not the user's own variables. */
function withLogin(url: string): string {
  const { PGUSER = '', PGPASSWORD = '' } = process.env;
  const whole = new URL(url);
  const { searchParams } = whole;
  if (whole.username === '' && !searchParams.has('user')) whole.username = encodeURIComponent(PGUSER);
  if (whole.password === '' && !searchParams.has('password')) whole.password = encodeURIComponent(PGPASSWORD);
  rememberSecret(PGPASSWORD);
  return whole.href;
}

async function readFacts(url: string): Promise<ServerFacts> {
  const { host, username } = new URL(url);
  try {
    const [row] = await withConnection(url, (run) => run(factsSql));
    return row as unknown as ServerFacts;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    throw new PgsweepError('stack', `cannot use the Postgres on ${host}: ${messageOf(cause) || code}`, {
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
  return url === undefined ? {} : { PGSWEEP_LEFT_LOGIN: url };
}
