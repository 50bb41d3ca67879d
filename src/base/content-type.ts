/**
 * The header that a request's body needs where nobody has given its type: `application/json` for a value of JSON, and for
 * a text that begins as one does, with `{` or `[`. Any other text has no type but the one that is given.
 */
export function contentTypeOf(body: unknown, headers: Readonly<Record<string, string>>): Record<string, string> {
  const isJson = body !== undefined && (typeof body !== 'string' || /^\s*[[{]/.test(body));
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return isJson && !isTyped ? { 'content-type': 'application/json' } : {};
}
