import { rememberSecret } from '../../../base/secrets.ts';

/** Where a server may be described: its URL, the parameters of the URL, and the user's own variables, in this order. */
const PARTS = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
} as const;

type Parts = { -readonly [Name in keyof typeof PARTS]: string };

/**
 * The URL with all by which a server is found and used, in its usual places: services get the URL, and not the user's own
 * variables, and who takes the URL apart looks there. As node-postgres reads them, parameters (`?host=/tmp`) go first.
 */
export function wholeUrl(url: string): string {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const own: Parts = { host: hostname, port, user: encoded(username), password: encoded(password) };
  for (const [name, variable] of Object.entries(PARTS) as [keyof Parts, string][]) {
    const asked = searchParams.get(name) || (own[name] === '' ? process.env[variable] : '');
    if (asked) own[name] = name === 'host' && asked.includes(':') ? `[${asked}]` : encodeURIComponent(asked);
    searchParams.delete(name);
  }
  const { PGSSLMODE } = process.env;
  // node-postgres connects without TLS by the variable `allow`, and insists on it by the parameter.
  if (PGSSLMODE && PGSSLMODE !== 'allow' && !['sslmode', 'ssl'].some((name) => searchParams.has(name)))
    searchParams.set('sslmode', PGSSLMODE);
  // libpq takes a + for itself, and no space.
  const query = searchParams.size === 0 ? '' : `?${searchParams.toString().replaceAll('+', '%20')}`;
  rememberSecret(decodeURIComponent(own.password));
  return `postgres://${loginOf(own)}${own.host || 'localhost'}${own.port && `:${own.port}`}${pathname}${query}`;
}

/** A part of a URL, also where a `%` in it is meant as it stands, as node-postgres takes it. */
function encoded(part: string): string {
  return encodeURIComponent(decodeURIComponent(part.replace(/%(?![0-9a-f]{2})/gi, '%25')));
}

function loginOf({ user, password }: Parts): string {
  return user === '' ? '' : `${user}${password && `:${password}`}@`;
}

/** The URL with a password that was found elsewhere (~/.pgpass), if it has none. */
export function withPassword(url: string, password: string | null): string {
  const whole = new URL(url);
  if (whole.password !== '' || !password) return url;
  rememberSecret(password);
  if (whole.username === '') whole.username = encodeURIComponent(process.env.USER ?? '');
  whole.password = encodeURIComponent(password);
  return whole.href;
}
