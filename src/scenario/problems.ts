import { relative } from 'node:path';
import { type Document, isMap, isNode, isSeq, type LineCounter, type Pair } from 'yaml';
import type { z } from 'zod';
import { once } from '../base/async/once.ts';
import { PgsweepError } from '../base/errors.ts';
import { isObject } from '../base/json-path.ts';
import { didYouMean } from '../base/nearest.ts';
import { shortened } from '../base/visible.ts';
import type { Path, Problem } from './problem.ts';
import { scenarioJsonSchema } from './schema.ts';
import { schemaFile } from './schema-file.ts';
import { withFactorHint } from './variant-parts/factor-hints.ts';

export type { Path, Problem } from './problem.ts';

/** A parsed YAML file that can say where a value stands. */
export interface Source {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** More mistakes than this say nothing new. */
const MOST_LINES = 50;
/** However long a key or a value is that a message names. */
const MOST_CHARACTERS = 1000;
const MOST_OF_A_NAME = 60;

/** Lines of `file:line:column: message`, each mistake on one line whatever is in it. */
export function placed(
  { file, lines }: Pick<Source, 'file' | 'lines'>,
  problems: readonly { readonly offset: number; readonly message: string }[],
): string {
  const told = problems.slice(0, MOST_LINES).map(({ offset, message }) => {
    const { line, col } = lines.linePos(offset);
    return `${shortened(file, MOST_CHARACTERS)}:${line}:${col}: ${shortened(message, MOST_CHARACTERS)}`;
  });
  const more = problems.length - told.length;
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

/** The error for a scenario with mistakes: one line each, as `file:line:column: message`. */
export function scenarioError(source: Source, problems: readonly Problem[]): PgsweepError {
  const places = problems.map((problem) => ({
    offset: problem.offset ?? offsetOf(source.document, problem),
    message: problem.message,
  }));
  return new PgsweepError('scenario', placed(source, places), {
    hint: `The keys and what they mean: ${relative(process.cwd(), schemaFile)}; a commented example: pgsweep init.`,
  });
}

/** Where a problem stands in the text; the nearest value above it where it has no place. */
export function offsetOf(document: Document, problem: Problem): number {
  if (problem.key !== undefined) {
    const pair = pairAt(nodeAt(document, problem.path), problem.key);
    if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
  }
  // A missing value has no place: the nearest parent that stands in the file has.
  for (let depth = problem.path.length; depth >= 0; depth--) {
    const node = nodeAt(document, problem.path.slice(0, depth));
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** Keys are compared as text: a variant that is called 10 has a number for a key. */
function nodeAt(document: Document, path: Path): unknown {
  return path.reduce<unknown>(
    (node, part) => (isSeq(node) ? node.items[Number(part)] : pairAt(node, String(part))?.value),
    document.contents,
  );
}

function pairAt(node: unknown, key: string): Pair | undefined {
  return isMap(node) ? node.items.find((pair) => String(pair.key) === key) : undefined;
}

/** Problems that zod found in a scenario, in the words of the scenario language. */
export function problemsOf(error: z.ZodError, written: unknown): Problem[] {
  return error.issues.flatMap((issue) => {
    const isControl = issue.path.length === 1 && issue.path[0] === 'control';
    return isControl && (issue.input ?? null) === null
      ? [{ path: ['control'], message: `control is missing: ${controlOf(written)}` }]
      : problemsOfIssue(issue, [], null).map((one) => ({ ...one, message: withFactorHint(one, written) }));
  });
}

function controlOf(written: unknown): string {
  const { variants, sweep } = written as { readonly variants?: unknown; readonly sweep?: unknown };
  if (isObject(variants)) return `expected the name of a variant: one of ${Object.keys(variants).join(', ')}`;
  const factors = isObject(sweep) ? Object.keys(sweep).join(', ') : '';
  return factors === '' ? 'expected the name of a variant' : `expected a level of each factor: ${factors}`;
}

/** `above` is what the union expects that tried this member; null where none did. */
function problemsOfIssue(issue: z.core.$ZodIssue, base: Path, above: string | null): Problem[] {
  const path = [...base, ...issue.path.filter((part) => typeof part !== 'symbol')];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path, key, message: unknownKey(path, key) }));
  }
  if (issue.code === 'invalid_key') return [{ path, message: 'this key cannot be used here' }];
  const expected = above !== null && issue.message === 'Invalid input' ? above : expectation(issue);
  const member = issue.code === 'invalid_union' ? issue.errors.find(isOfKind) : undefined;
  if (member !== undefined) return member.flatMap((inner) => problemsOfIssue(inner, path, expected));
  const name = path.length === 0 ? 'the scenario' : dottedPath(path);
  if (issue.code === 'invalid_type' && /received undefined/.test(issue.message)) {
    return [{ path, message: `${name} is missing: expected ${issue.expected}` }];
  }
  return [{ path, message: `${name}: ${expected}` }];
}

/** True if this member of a union takes such a list or map, and only something in it is wrong. */
function isOfKind(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys');
}

function expectation(issue: z.core.$ZodIssue): string {
  const message = issue.message.replace(/^Invalid (input|option|string): /, '');
  if (issue.code !== 'invalid_value') return message;
  const values = issue.values.map(String);
  return `expected ${values.join(', ')}${typeof issue.input === 'string' ? didYouMean(issue.input, values, '') : ''}`;
}

/** Keys of earlier versions, and what to write instead. */
const formerKeys: Readonly<Record<string, string>> = {
  'load.slices':
    'load.slices is no more: an arm has its time at a load level in short turns, and load.slice is their sum; for slices: 3 of 2s write slice: 6s',
};

/** Keys that people guess, by their place, and what is meant. */
const guessedKeys: readonly (readonly [place: RegExp, message: string])[] = [
  [
    /\.expect\.body$/,
    'unknown key "body" in expect: expected json: { $.id: present }, by place in the body, or text: done, a part of it',
  ],
  [
    /^load\.(requests|script)\..*\b(expectBody|expectJson|expectText|assert|check|checks)$/,
    'what a body has to hold stands under expect: { json: { $.id: present } }, or expect: { text: done }',
  ],
];

/** `load.requests.0`, for messages. */
function dottedPath(path: Path): string {
  return path.map((part) => shortened(String(part), MOST_OF_A_NAME)).join('.');
}

function unknownKey(path: Path, key: string): string {
  const former = [...path, key].join('.');
  if (Object.hasOwn(formerKeys, former)) return formerKeys[former] ?? '';
  const guessed = guessedKeys.find(([place]) => place.test(former));
  if (guessed !== undefined) return guessed[1];
  const keys = validKeys(path);
  const place = path.length === 0 ? '' : ` in ${dottedPath(path)}`;
  return `unknown key "${shortened(key, MOST_OF_A_NAME)}"${place}: expected ${keys.join(', ')}${didYouMean(key, keys)}`;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** Making it takes milliseconds, and a file may have thousands of mistakes. */
const jsonSchema = once((): JsonSchema => scenarioJsonSchema());

/** The keys that the schema allows in the map at a path. */
function validKeys(path: Path): string[] {
  const schemas = path.reduce<JsonSchema[]>(
    (current, part) =>
      current
        .flatMap((schema) => schema.anyOf ?? [schema])
        .flatMap((schema) => {
          const next =
            typeof part === 'number' ? schema.items : (schema.properties?.[part] ?? schema.additionalProperties);
          return typeof next === 'object' ? [next] : [];
        }),
    [jsonSchema()],
  );
  return schemas
    .flatMap((schema) => schema.anyOf ?? [schema])
    .flatMap((schema) => Object.keys(schema.properties ?? {}));
}
