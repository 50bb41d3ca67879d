import { relative } from 'node:path';
import { type Document, isMap, isNode, isSeq, type LineCounter, type Pair, stringify } from 'yaml';
import type { z } from 'zod';
import { once } from '../base/async/once.ts';
import { PgsweepError } from '../base/errors.ts';
import { isObject, valueAt } from '../base/json-path.ts';
import { didYouMean } from '../base/nearest.ts';
import { shortened } from '../base/visible.ts';
import type { JsonSchema } from './examples.ts';
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
  const shown = problems.slice(0, MOST_LINES).map(({ offset, message }) => {
    const { line, col } = lines.linePos(offset);
    return `${shortened(file, MOST_CHARACTERS)}:${line}:${col}: ${shortened(message, MOST_CHARACTERS)}`;
  });
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
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
  const { variants, sweep, tune } = written as { readonly [Key in 'variants' | 'sweep' | 'tune']?: unknown };
  if (isObject(variants)) return `expected the name of a variant: one of ${Object.keys(variants).join(', ')}`;
  const varied = [sweep, tune].find(isObject);
  const factors = varied === undefined ? '' : Object.keys(varied).join(', ');
  return factors === '' ? 'expected the name of a variant' : `expected a level of each factor: ${factors}`;
}

/** `above` is what the union expects that tried this member; null where none did. */
function problemsOfIssue(issue: z.core.$ZodIssue, base: Path, above: string | null): Problem[] {
  const path = [...base, ...issue.path.filter((part) => typeof part !== 'symbol')];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path, key, message: unknownKey(path, key, valueAt(issue.input, [key])) }));
  }
  if (issue.code === 'invalid_key') return [{ path, message: 'this key cannot be used here' }];
  const expected = above !== null && issue.message === 'Invalid input' ? above : expectation(issue);
  const member = issue.code === 'invalid_union' ? issue.errors.find(isOfKind) : undefined;
  if (member !== undefined) return member.flatMap((inner) => problemsOfIssue(inner, path, expected));
  const name = path.length === 0 ? 'the scenario' : dottedPath(path);
  if (issue.input === undefined && issue.code === 'invalid_union') return [{ path, message: `${name} is missing` }];
  if (issue.code === 'invalid_type' && /received undefined/.test(issue.message)) {
    return [{ path, message: `${name} is missing: ${expectedType(issue.expected, path)}` }];
  }
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input: ')) {
    const found = foundWords(issue.expected, issue.input);
    return [{ path, message: `${name}: ${expectedType(issue.expected, path)}${found}` }];
  }
  const example = issue.code === 'invalid_union' && !expected.includes('such as') ? exampleAt(path) : null;
  return [{ path, message: `${name}: ${expected}${example === null ? '' : `, such as ${example}`}` }];
}

/** True if this member of a union takes such a list or map, and only something in it is wrong. */
function isOfKind(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys');
}

function expectation(issue: z.core.$ZodIssue): string {
  const message = issue.message.replace(/^Invalid (input|option|string): /, '');
  switch (issue.code) {
    case 'invalid_value': {
      const values = issue.values.map(String);
      return `expected ${values.join(', ')}${typeof issue.input === 'string' ? didYouMean(issue.input, values, '') : ''}`;
    }
    case 'too_small':
      return message.startsWith('Too small') ? `expected ${least(issue)}` : message;
    case 'too_big':
      return message.startsWith('Too big') ? `expected at most ${issue.maximum}${unitWords(issue.origin)}` : message;
    default:
      return message;
  }
}

function least({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (origin === 'string') return 'a text that is not empty';
  if (inclusive === false) return `more than ${minimum}`;
  return `at least ${minimum}${unitWords(origin)}`;
}

/** The unit of a limit: of a text its characters; none of a number. */
function unitWords(origin: string): string {
  return { string: ' characters', array: ' in the list', record: ' keys', object: ' keys' }[origin] ?? '';
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

function unknownKey(path: Path, key: string, value: unknown): string {
  const former = [...path, key].join('.');
  if (Object.hasOwn(formerKeys, former)) return formerKeys[former] ?? '';
  const guessed = guessedKeys.find(([place]) => place.test(former));
  if (guessed !== undefined) return guessed[1];
  const keys = validKeys(path);
  const place = path.length === 0 ? '' : ` in ${dottedPath(path)}`;
  const unknown = `unknown key "${shortened(key, MOST_OF_A_NAME)}"${place}`;
  const asVariable = ENVIRONMENT_VARIABLE.test(key) ? variableHint(path, key, value) : null;
  if (asVariable !== null) return `${unknown}: write an environment variable as ${asVariable}`;
  return `${unknown}: expected ${keys.join(', ')}${didYouMean(key, keys)}`;
}

/** Making it takes milliseconds, and a file may have thousands of mistakes. */
const jsonSchema = once((): JsonSchema => scenarioJsonSchema());

const ENVIRONMENT_VARIABLE = /^[A-Z][A-Z\d_]*$/;

/** `env: { LISTENERS: 1 }`, or a factor's `env: LISTENERS`; null where no environment is set at the path. */
function variableHint(path: Path, key: string, value: unknown): string | null {
  const [example] = examplesAt([...path, 'env']);
  if (example === undefined) return null;
  if (!isObject(example)) return `env: ${key}, and its values under levels`;
  return `env: { ${key}: ${isObject(value) || Array.isArray(value) ? '...' : shortened(String(value), MOST_OF_A_NAME)} }`;
}

/** Schemas of what may stand at a path. */
function schemasAt(path: Path): JsonSchema[] {
  return path.reduce<JsonSchema[]>(
    (current, part) =>
      current
        .flatMap((schema) => schema.anyOf ?? [schema])
        .flatMap((schema) => {
          const next =
            typeof part === 'number' ? schema.items : (schema.properties?.[part] ?? schema.additionalProperties);
          return isObject(next) ? [next as JsonSchema] : [];
        }),
    [jsonSchema()],
  );
}

/** The keys that the schema allows in the map at a path. */
function validKeys(path: Path): string[] {
  return schemasAt(path)
    .flatMap((schema) => schema.anyOf ?? [schema])
    .flatMap((schema) => Object.keys(schema.properties ?? {}));
}

/** `expected a map such as { sql: schema.sql }`, for a value that is missing or of another type. */
function expectedType(expected: string, path: Path): string {
  const example = exampleAt(path);
  return `expected ${typeWords[expected] ?? expected}${example === null ? '' : ` such as ${example}`}`;
}

function examplesAt(path: Path): unknown[] {
  return schemasAt(path).flatMap(({ examples = [] }) => examples);
}

/** Examples of what stands in a list, or alone in its place. */
function entries(list: Path): unknown[] {
  return examplesAt(list).flat();
}

/** An example of what stands at a path, as a scenario has it; null where the schema gives none. */
function exampleAt(path: Path): string | null {
  const [example] = typeof path.at(-1) === 'number' ? entries(path.slice(0, -1)) : examplesAt(path);
  return example === undefined
    ? null
    : stringify(example, { collectionStyle: 'flow', lineWidth: 0 })
        .trim()
        .replaceAll(/(?<=\[) | (?=\])/g, '');
}

/** Types by the names that zod has for them. */
const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** The value that stands there instead; a number or a word of YAML becomes a text in quotes. */
function foundWords(expected: string, found: unknown): string {
  if (found === null) return ', found nothing';
  if (Array.isArray(found)) return ', found a list';
  if (typeof found === 'object') return ', found a map';
  if (typeof found === 'string') return ', found a text';
  return expected === 'string' ? `, found ${found}: "${found}" in quotes is a text` : `, found ${found}`;
}
