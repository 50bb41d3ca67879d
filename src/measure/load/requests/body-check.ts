import { isDeepStrictEqual } from 'node:util';
import { jsonOf, parseJsonPath, valueAt } from '../../../base/json-path.ts';
import type { BodySpec, RequestValue, SentRequest } from '../../../journal/request-value.ts';

/** Longest part of the found text that is reported. */
const MOST_FOUND = 300;

/** Returns what the body of an answer lacks, in a sentence; null where it is as expected. */
export type BodyCheck = (body: string) => string | null;

/** Undefined where nothing is expected of the body. */
function compileBodyCheck({ json = {}, text }: BodySpec = {}): BodyCheck | undefined {
  const each = Object.entries(json).map(([path, expected]) => ({ path, keys: parseJsonPath(path) ?? [], expected }));
  if (each.length === 0 && text === undefined) return undefined;
  return (body) => {
    if (text !== undefined && !body.includes(text)) return `its body does not have the text ${quoted(text)}`;
    if (each.length === 0) return null;
    const value = jsonOf(body);
    if (value === undefined) return 'its body is no JSON';
    for (const { path, keys, expected } of each) {
      const found = valueAt(value, keys);
      if (!isAsExpected(found, expected)) return `${path} is ${quoted(found)}: expected ${quoted(expected)}`;
    }
    return null;
  };
}

/** Those of several kinds of request, in their order; none where nothing is expected of any. */
export function checksOf(specs: readonly SentRequest[]): { readonly checks?: readonly (BodyCheck | undefined)[] } {
  const checks = specs.map(({ expectBody }) => compileBodyCheck(expectBody));
  return checks.some((check) => check !== undefined) ? { checks } : {};
}

/** As in captures, null is nothing. */
function isAsExpected(found: unknown, expected: RequestValue): boolean {
  if (expected === 'absent') return found === undefined || found === null;
  if (expected === 'present') return found !== undefined && found !== null;
  return isDeepStrictEqual(found, expected);
}

function quoted(value: unknown): string {
  if (value === undefined || value === 'absent' || value === 'present') return String(value ?? 'absent');
  const text = JSON.stringify(value);
  return text.length <= MOST_FOUND ? text : `${text.slice(0, MOST_FOUND)} …`;
}
