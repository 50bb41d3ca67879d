import { ADDRESSES } from './e-mail.ts';
import { isSecretSegment, withoutSecrets } from './secrets.ts';
import { isIdentifier } from './varying.ts';

/** A path with its query, in parts. */
export interface AddressParts {
  /** Without the slash before the first. */
  readonly segments: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Stands in a route for a segment that is one of many. */
export const VARIES = ':id';

/** With this many different words at one place, they are data and not names of the interface ... */
const MANY = { fewRequests: 30, always: 200 };
/** ... if there are few requests for each. */
const REQUESTS_FOR_EACH = 10;

/** Name of a request in lists and titles: `POST /items/:id`, without what may be a secret. */
export function labelOf(method: string, address: string): string {
  const { segments } = partsOf(address);
  return `${method} /${segments.map((segment, at) => shownPart(segment, segments[at - 1])).join('/')}`;
}

/** A part of an address as it may be shown: without ids, secrets and addresses of e-mail. */
export function shownPart(part: string, before?: string): string {
  if (isIdentifier(part) || isSecretSegment(part, before)) return VARIES;
  return withoutSecrets(part, () => VARIES).replace(ADDRESSES, VARIES);
}

/** Values stay as they are encoded. */
export function partsOf(address: string): AddressParts {
  const [path = '', ...rest] = address.split('?');
  const query = rest
    .join('?')
    .split('&')
    .filter((part) => part !== '');
  return {
    segments: path.split('/').slice(1),
    query: query.map((part) => {
      const [name = '', ...value] = part.split('=');
      return [name, value.join('=')] as const;
    }),
  };
}

/**
 * The route of each path: its segments, with VARIES for ids (numbers, UUIDs, ...), and for names where there are so many
 * at one place that they must be data.
 */
export function routesOf(paths: readonly (readonly string[])[]): string[][] {
  const routes = paths.map((segments) => segments.map((segment) => (isIdentifier(segment) ? VARIES : segment)));
  const deepest = routes.reduce((most, { length }) => Math.max(most, length), 0);
  for (let depth = 0; depth < deepest; depth++) {
    const places = new Map<string, { readonly words: Set<string>; requests: number }>();
    const pathAndHost = (route: readonly string[]): string => `${route.length} ${route.slice(0, depth).join('/')}`;
    for (const route of routes) {
      const word = route[depth];
      if (word === undefined || word === VARIES) continue;
      const place = places.get(pathAndHost(route)) ?? { words: new Set(), requests: 0 };
      places.set(pathAndHost(route), place);
      place.requests++;
      if (place.words.size <= MANY.always) place.words.add(word);
    }
    for (const route of routes) {
      const place = places.get(pathAndHost(route));
      if (place === undefined || route[depth] === undefined) continue;
      const { size } = place.words;
      const areMany = size > MANY.always || (size > MANY.fewRequests && place.requests < REQUESTS_FOR_EACH * size);
      if (areMany) route[depth] = VARIES;
    }
  }
  return routes;
}
