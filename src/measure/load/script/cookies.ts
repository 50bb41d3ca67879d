import { CookieJar } from 'tough-cookie';

/** The cookies of one user, kept as a browser keeps them (RFC 6265): by domain, path and age. */
export interface Cookies {
  /** Takes a header Set-Cookie; one that the service may not set is ignored. */
  take(setCookie: string, path: string): void;
  /** The header Cookie of a request; null where there is none. */
  headerFor(path: string): string | null;
}

/** An empty jar, for a user of the service at `origin`. */
export function createCookies(origin: string): Cookies {
  // Most users of most services never get a cookie.
  let jar: CookieJar | null = null;
  return {
    take(setCookie, path) {
      jar ??= new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true });
      jar.setCookieSync(setCookie, origin + path, { ignoreError: true });
    },
    headerFor: (path) => jar?.getCookieStringSync(origin + path) || null,
  };
}
