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
  const own: Parts = { host: hostname, port, user: username, password };
  for (const [name, variable] of Object.entries(PARTS) as [keyof Parts, string][]) {
    const asked = searchParams.get(name) || (own[name] === '' ? process.env[variable] : '');
    if (asked) own[name] = name === 'host' && asked.includes(':') ? `[${asked}]` : encodeURIComponent(asked);
    searchParams.delete(name);
  }
  const { PGSSLMODE } = process.env;
  if (PGSSLMODE && !['sslmode', 'ssl'].some((name) => searchParams.has(name))) searchParams.set('sslmode', PGSSLMODE);
  const query = searchParams.size === 0 ? '' : `?${searchParams}`;
  rememberSecret(decodeURIComponent(own.password));
  return `postgres://${loginOf(own)}${own.host || 'localhost'}${own.port && `:${own.port}`}${pathname}${query}`;
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
