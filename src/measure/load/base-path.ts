/** Path of a service's address, without a slash at its end: it comes ahead of each path of a request. */
export function basePath({ pathname }: Pick<URL, 'pathname'>): string {
  return pathname.replace(/\/$/, '');
}

/** Rest of an address after that of the service, or after the service's host where it has another path; null of another host. */
export function pathBelow(address: string, url: URL): string | null {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address) || new URL(address).origin !== url.origin) return null;
  return withoutBase(address.replace(/^[^/]*\/\/[^/?#]*/, ''), basePath(url));
}

/** A path as requests have it: without the base path, where it begins with that. */
export function withoutBase(path: string, base: string): string {
  const rest = path.slice(base.length);
  return path.startsWith(base) && /^([/?#]|$)/.test(rest) ? rest : path;
}
