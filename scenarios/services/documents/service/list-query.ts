import type { JsonValue } from '../model/document.ts';
import { ServiceError } from './errors.ts';

/** One `name=value` of a list request. */
export interface FieldMatch {
  readonly name: string;
  /** Any of which will do. */
  readonly values: readonly string[];
  /** JSON objects of one member each: what identity or body must contain one of. */
  readonly members: string[];
  /** A jsonpath that finds the value one level down, in a reference. */
  readonly path: string;
}

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly matches: FieldMatch[];
  /** The id of a document that all listed ones refer to; null where any will do. */
  readonly referencing: string | null;
}

const limitDefault = 25;
const limitMax = 500;
const offsetMax = 1_000_000_000;
const matchesMax = 20;

/** Reads the query string of a list request. Throws a 400. */
export function parseListQuery(query: Readonly<Record<string, unknown>>): ListQuery {
  const matches: FieldMatch[] = [];
  let limit = limitDefault;
  let offset = 0;
  let referencing: string | null = null;
  for (const [name, value] of Object.entries(query)) {
    if (name === 'limit') limit = parseBounded(name, value, 1, limitMax);
    else if (name === 'offset') offset = parseBounded(name, value, 0, offsetMax);
    else if (name === 'referencing') referencing = parseUuid(name, value);
    else matches.push(matchField(name, Array.isArray(value) ? value.map(String) : [String(value)]));
  }
  if (matches.length > matchesMax) {
    throw invalidParameter(`Expected at most ${matchesMax} fields to match, found ${matches.length}`);
  }
  return { limit, offset, matches, referencing };
}

function parseUuid(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value;
  throw invalidParameter(`${name}: expected the id of a document, found ${JSON.stringify(value)}`, name);
}

function parseBounded(name: string, value: unknown, low: number, high: number): number {
  const parsed = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (parsed >= low && parsed <= high) return parsed;
  throw invalidParameter(
    `${name}: expected a whole number from ${low} to ${high}, found ${JSON.stringify(value)}`,
    name,
  );
}

/** A query string has no types: `1` may mean the number or the text. A name that is given twice matches either value. */
function matchField(name: string, values: readonly string[]): FieldMatch {
  const candidates = values.flatMap(readings);
  const tests = candidates.map((candidate) => `@ == ${JSON.stringify(candidate)}`);
  return {
    name,
    values,
    members: candidates.map((candidate) => JSON.stringify({ [name]: candidate })),
    path: `$.*.${JSON.stringify(name)} ? (${tests.join(' || ')})`,
  };
}

function readings(text: string): JsonValue[] {
  if (text === 'true' || text === 'false') return [text === 'true', text];
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? [number, text] : [text];
}

function invalidParameter(message: string, parameter?: string): ServiceError {
  return new ServiceError(400, 'invalid_parameter', message, parameter === undefined ? {} : { parameter });
}
