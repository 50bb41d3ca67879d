/** A step of a path into JSON: the key of a map or the place in a list. */
export type JsonKey = string | number;

/**
 * The keys of a path such as `$.items[0].id` or `$['first name']`: RFC 9535 without what selects more than one value. Null
 * where it is none.
 */
export function parseJsonPath(text: string): JsonKey[] | null {
  if (!text.startsWith('$')) return null;
  const keys: JsonKey[] = [];
  let rest = text.slice(1);
  while (rest !== '') {
    const match = /^(?:\.([\p{L}_][\p{L}\p{N}_-]*)|\[(-?\d+)\]|\['([^']*)'\]|\["([^"]*)"\])/u.exec(rest);
    if (match === null) return null;
    const [whole, name, index, single, double] = match;
    keys.push(index === undefined ? (name ?? single ?? double ?? '') : Number(index));
    rest = rest.slice(whole.length);
  }
  return keys;
}

/** Value of a JSON text; undefined if it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Value at a place, undefined if there is none. A place below 0 counts from the end of a list. */
export function valueAt(value: unknown, keys: readonly JsonKey[]): unknown {
  return keys.reduce<unknown>((at, key) => {
    if (typeof key === 'number') return Array.isArray(at) ? at.at(key) : undefined;
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, value);
}

/** True for a JSON object: not null, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
