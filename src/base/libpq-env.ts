/** Variables that name a database; every command gets those that its URL has. */
export const LIBPQ_VARIABLES = ['PGHOST', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE'] as const;

/** Parameters of a URL that have a variable. */
const PARAMETERS = { PGSSLROOTCERT: 'sslrootcert', PGSSLCERT: 'sslcert', PGSSLKEY: 'sslkey', PGOPTIONS: 'options' };

/**
 * A database for programs that go by libpq's variables; as arguments every user of the machine would see its password.
 * What the URL does not have is left out: an empty PGPASSWORD would turn ~/.pgpass off. Parameters of the URL go first.
 */
export function libpqEnv(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl);
  const own: Readonly<Record<(typeof LIBPQ_VARIABLES)[number], string>> = {
    // A URL has an IPv6 address in brackets, and the folder of a socket percent-encoded.
    PGHOST: searchParams.get('host') || decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    PGPORT: searchParams.get('port') || port,
    PGUSER: searchParams.get('user') || decodeURIComponent(username),
    PGPASSWORD: searchParams.get('password') || decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
  const others = Object.entries(PARAMETERS).map(([variable, name]) => [variable, searchParams.get(name) ?? '']);
  const all = [...Object.entries(own), ['PGSSLMODE', sslModeOf(searchParams)], ...others];
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

/**
 * The mode in libpq's words. node-postgres alone knows `no-verify`, and alone checks certificates by those of the system: libpq
 * would look for its own file and fail.
 */
function sslModeOf(parameters: URLSearchParams): string {
  const mode = parameters.get('sslmode') ?? '';
  const isCheck = mode.startsWith('verify-') && !parameters.has('sslrootcert');
  return mode === 'no-verify' || isCheck ? 'require' : mode;
}

/**
 * Takes the session settings of the user's shell from an environment: they are for other servers, and services do not get them.
 * `isOwn`: true where the server is the bench's, which is connected to without TLS.
 */
export function forgetSessionEnv(env: NodeJS.ProcessEnv, { isOwn }: { readonly isOwn: boolean }): void {
  for (const name of ['PGOPTIONS', 'PGCLIENTENCODING', ...(isOwn ? ['PGSSLMODE'] : [])]) delete env[name];
}

/** An environment without the user's own PGHOST, PGSSLMODE and the like, which are for other servers. */
export function withoutLibpqEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PG[A-Z]+$/.test(name)));
}
