import type { PoolerSpec } from '../../../journal/link/pooler.ts';

/** The bench's own user on PgBouncer's console. */
export const CONSOLE_USER = 'pgsweep_console';

interface PoolerPlace {
  /** The arm's own database. */
  readonly databaseUrl: string;
  readonly port: number;
  readonly userlist: string;
  /** Whom root runs it as; null where it runs as whoever runs the bench. */
  readonly user: string | null;
}

/** pgbouncer.ini: one database, one user, on 127.0.0.1 alone. Its password is that of the database, so it is private. */
export function pgbouncerIni(spec: PoolerSpec, place: PoolerPlace): string {
  const lines = Object.entries(settingsOf(spec, place)).map(([name, value]) => `${name} = ${value}`);
  return ['[databases]', databaseLine(spec, place), '', '[pgbouncer]', ...lines, ''].join('\n');
}

/** Settings of pgbouncer.ini. The bench's own come last, so that they hold. */
function settingsOf(spec: PoolerSpec, { databaseUrl, port, userlist, user }: PoolerPlace): Record<string, string> {
  const { mode, size, minSize, reserveSize, maxClientConn, maxPreparedStatements, queryWaitTimeoutMs } = spec;
  const asked = {
    min_pool_size: minSize,
    reserve_pool_size: reserveSize,
    max_client_conn: maxClientConn,
    max_prepared_statements: maxPreparedStatements,
    query_wait_timeout: queryWaitTimeoutMs === undefined ? undefined : queryWaitTimeoutMs / 1000,
    ignore_startup_parameters: spec.ignoreStartupParameters?.join(', '),
  };
  const known = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return {
    // A connection that comes or goes is a line for each client.
    log_connections: '0',
    log_disconnections: '0',
    log_stats: '0',
    ...tlsOf(databaseUrl),
    ...spec.settings,
    ...Object.fromEntries(known),
    pool_mode: mode,
    default_pool_size: String(size),
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: userlist,
    admin_users: CONSOLE_USER,
    ...(user !== null && { user }),
  };
}

/** How the database's address says that it is to be reached. */
function tlsOf(databaseUrl: string): Record<string, string> {
  const { searchParams } = new URL(databaseUrl);
  const [mode, authority] = [searchParams.get('sslmode'), searchParams.get('sslrootcert')];
  return {
    ...(mode !== null && { server_tls_sslmode: mode }),
    ...(authority !== null && { server_tls_ca_file: authority }),
  };
}

function databaseLine({ connectQuery }: PoolerSpec, { databaseUrl }: PoolerPlace): string {
  const { host, port, name, user, password } = partsOf(databaseUrl);
  const parts = {
    host,
    port,
    dbname: name,
    user,
    ...(password !== '' && { password }),
    ...(connectQuery !== undefined && { connect_query: connectQuery }),
  };
  const values = Object.entries(parts).map(([key, value]) => `${key}=${quoted(value, "'")}`);
  return `${/^\w+$/.test(name) ? name : quoted(name, '"')} = ${values.join(' ')}`;
}

/** userlist.txt: who may connect, and by what password. */
export function userlist(users: Readonly<Record<string, string>>): string {
  return Object.entries(users)
    .map(([user, password]) => `${quoted(user, '"')} ${quoted(password, '"')}\n`)
    .join('');
}

/** The parts of a database's address, as programs other than browsers want them. */
export function partsOf(databaseUrl: string): Readonly<Record<'host' | 'port' | 'name' | 'user' | 'password', string>> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    // An address of IPv6 stands in brackets in a URL.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port || '5432',
    name: decodeURIComponent(pathname.slice(1)),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

function quoted(text: string, quote: '"' | "'"): string {
  return quote + text.replaceAll(quote, quote + quote) + quote;
}
