/** A database for programs that go by libpq's variables; as arguments every user of the machine would see its password. */
export function libpqEnv(databaseUrl: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    // A URL has an IPv6 address in brackets, and the folder of a socket percent-encoded.
    PGHOST: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
}

/** An environment without the user's own PGHOST, PGSSLMODE and the like, which are for other servers. */
export function withoutLibpqEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^PG[A-Z]+$/.test(name)));
}
