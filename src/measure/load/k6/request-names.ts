import { maskKnown } from '../../../base/secrets.ts';
import { pathBelow } from '../base-path.ts';
import type { K6Request } from './k6-lines.ts';

/** Each name has a histogram of 200 KB, and a row in every table. */
const MOST_NAMES = 100;
const OTHERS = 'other requests';

/** Names of requests as they are met, the same in every arm. */
export interface RequestNames {
  /** All so far, in the order in which they came. */
  readonly names: readonly string[];
  /** The place of a request's name. */
  of(request: Pick<K6Request, 'name' | 'method'>): number;
}

/** `url` is the arm's own address, which is another in every arm and round. */
export function createRequestNames(url: string): RequestNames {
  const base = new URL(url);
  const names: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const known = places.get(name);
    if (known !== undefined) return known;
    if (names.length >= MOST_NAMES && name !== OTHERS) return placeOf(OTHERS);
    places.set(name, names.length);
    return names.push(name) - 1;
  };
  return { names, of: (request) => placeOf(maskKnown(requestName(request, base))) };
}

/**
 * The script's name for a request. Without one, k6 names it by its URL, which is then shown as `GET /items/*?limit`: without
 * values, since each would be a request by itself.
 */
function requestName({ name, method }: Pick<K6Request, 'name' | 'method'>, base: URL): string {
  const own = pathBelow(name, base);
  if (own === null && !/^https?:\/\//.test(name)) return name === '' ? method : name;
  const [path = '', query = ''] = (own ?? name).split('?');
  const keys = query.split('&').flatMap((pair) => pair.split('=')[0] || []);
  const shown = path === '' ? '/' : path.split('/').map(withoutValue).join('/');
  return `${method} ${shown}${keys.length === 0 ? '' : `?${keys.join('&')}`}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `${}` is what k6's own `http.url` leaves of a value. */
function withoutValue(segment: string): string {
  return /^\d+$/.test(segment) || UUID.test(segment) || /^[0-9a-f]{16,}$/i.test(segment) || segment === '${}'
    ? '*'
    : segment;
}
