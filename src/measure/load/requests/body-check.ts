import { exactJson, exactJsonOf, isSameJson, withNumbers } from '../../../base/exact-json.ts';
import { parseJsonPath, valueAt } from '../../../base/json-path.ts';
import type { BodySpec, SentRequest } from '../../../journal/request-value.ts';

/** Longest part of the found text that is reported. */
const MOST_FOUND = 300;

/** Returns what the body of an answer lacks, in a sentence; null where it is as expected. */
export type BodyCheck = (body: string) => string | null;

/** Undefined where nothing is expected of the body. */
function compileBodyCheck({ json = {}, text }: BodySpec = {}): BodyCheck | undefined {
  const each = Object.entries(json).map(([path, expected]) => ({
    path,
    keys: parseJsonPath(path) ?? [],
    expected: withNumbers(expected),
  }));
  if (each.length === 0 && text === undefined) return undefined;
  return (body) => {
    if (text !== undefined && !body.includes(text)) return `its body does not have the text ${quoted(text)}`;
    if (each.length === 0) return null;
    const value = exactJsonOf(body);
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
function isAsExpected(found: unknown, expected: unknown): boolean {
  if (expected === 'absent') return found === undefined || found === null;
  if (expected === 'present') return found !== undefined && found !== null;
  return isSameJson(found, expected);
}

function quoted(value: unknown): string {
  if (value === undefined || value === 'absent' || value === 'present') return String(value ?? 'absent');
  const text = exactJson(value);
  return text.length <= MOST_FOUND ? text : `${text.slice(0, MOST_FOUND)} …`;
}
