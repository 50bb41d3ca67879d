/**
 * The header that a request's body needs where nobody has given its type: `application/json` for a value of JSON, and for
 * a text that begins as one does, with `{` or `[`. Any other text has no type but the one that is given.
 */
export function contentTypeOf(body: unknown, headers: Readonly<Record<string, string>>): Record<string, string> {
  const isJson = body !== undefined && (typeof body !== 'string' || /^\s*[[{]/.test(body));
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return isJson && !isTyped ? { 'content-type': 'application/json' } : {};
}

/** The content type that a request is sent with; empty where it has none. */
export function sentTypeOf(body: unknown, headers: Readonly<Record<string, string>>): string {
  const all = Object.entries({ ...contentTypeOf(body, headers), ...headers });
  return all.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
}

/** True for a content type of JSON, also `application/merge-patch+json`. */
export function isJsonType(type: string): boolean {
  return /\bjson\b/i.test(type);
}

/** A text as it stands between the quotes of a JSON string. */
export function inJsonString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
