import { escaped } from '../../found.ts';
import { calleeOf, childrenOf, isNode, type Node, nameOf, visit } from './nodes.ts';

/**
 * What an expression of a script stands for, as the scenario language writes it: texts are templates. Undefined where only
 * running it would tell.
 */
export type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [key: string]: Json };

/** Names that stand for one expression wherever they are used. */
export type Constants = ReadonlyMap<string, Node>;

interface Options {
  /** Keys whose values are computed stay, without a value. */
  readonly keepsUnknown?: boolean;
}

/** `JSON.stringify(value)`: a text, of which the value is known. */
const JSON_KEY = '\u0000json';
/** A constant may be made of constants. */
const MOST_STEPS = 50;

/** The value of a text that is JSON by its making; null for any other value. */
export function jsonOf(value: Json): { readonly value: Json } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, JSON_KEY))
    return null;
  return { value: (value as Record<string, Json>)[JSON_KEY] };
}

/** The names that are declared once, with a value, and never set again. */
export function constantsOf(program: Node): Constants {
  const constants = new Map<string, Node>();
  const spoilt = new Set<string>();
  visit(program, (node) => {
    const name = nameOf(
      node.type === 'AssignmentExpression' ? node.left : node.type === 'UpdateExpression' ? node.argument : null,
    );
    if (name !== undefined) spoilt.add(name);
    // A parameter hides a constant of its name.
    if (/Function/.test(node.type) && Array.isArray(node.params))
      for (const one of node.params) spoilt.add(nameOf(one) ?? '');
    const declared = node.type === 'VariableDeclarator' ? nameOf(node.id) : undefined;
    if (declared === undefined) return;
    if (constants.has(declared)) spoilt.add(declared);
    if (isNode(node.init)) constants.set(declared, node.init);
    else spoilt.add(declared);
  });
  for (const name of spoilt) constants.delete(name);
  return constants;
}

/** What an expression stands for. */
export function evaluated(node: Node | undefined, constants: Constants, options: Options = {}, steps = 0): Json {
  if (node === undefined || steps > MOST_STEPS) return undefined;
  const of = (one: unknown): Json => (isNode(one) ? evaluated(one, constants, options, steps + 1) : undefined);
  switch (node.type) {
    case 'Literal':
      return literal(node.value);
    case 'TemplateLiteral':
      return templateOf(node, of);
    case 'Identifier':
      return /^__(VU|ITER)$/.test(String(node.name)) ? '${unique}' : of(constants.get(String(node.name)));
    case 'BinaryExpression':
      return node.operator === '+' ? sum(of(node.left), of(node.right)) : undefined;
    case 'LogicalExpression':
      // What is set outside, or else a default.
      return of(node.left) ?? of(node.right);
    case 'ObjectExpression':
      return objectOf(node, of, options);
    case 'ArrayExpression':
      return known(Array.isArray(node.elements) ? node.elements.map(of) : []);
    case 'UnaryExpression': {
      const value = of(node.argument);
      return node.operator === '-' && typeof value === 'number' ? -value : undefined;
    }
    case 'CallExpression':
      return callOf(node, of);
    default:
      return undefined;
  }
}

/**
 * An address, as a template. One that begins with what is set outside (`${__ENV.BASE_URL}/items`) is that of the service:
 * its path. Null where it is computed.
 */
export function urlOf(node: Node | undefined, constants: Constants): string | null {
  if (node === undefined) return null;
  if (node.type === 'Identifier') return urlOf(constants.get(String(node.name)), constants);
  // http.url`...`
  if (node.type === 'TaggedTemplateExpression') return isNode(node.quasi) ? urlOf(node.quasi, constants) : null;
  const whole = evaluated(node, constants);
  if (typeof whole === 'string') return whole;
  const rest = ((): Json => {
    if (node.type === 'BinaryExpression' && node.operator === '+') {
      const { left, right } = node;
      const isJoined = isNode(left) && /^(BinaryExpression|TemplateLiteral)$/.test(left.type);
      const base = isJoined ? (urlOf(left, constants) ?? undefined) : '';
      return sum(base, isNode(right) ? evaluated(right, constants) : undefined);
    }
    if (node.type !== 'TemplateLiteral') return undefined;
    const of = (one: unknown): Json => (isNode(one) ? evaluated(one, constants) : undefined);
    return templateOf(node, (one) => of(one) ?? (isFirst(node, one) ? '' : undefined));
  })();
  return typeof rest === 'string' && rest.startsWith('/') ? rest : null;
}

function isFirst({ quasis, expressions }: Node, one: unknown): boolean {
  const [text] = Array.isArray(quasis) ? quasis : [];
  return Array.isArray(expressions) && expressions[0] === one && cooked(text) === '';
}

function literal(value: unknown): Json {
  if (typeof value === 'string') return escaped(value);
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : undefined;
}

function cooked(quasi: unknown): string | undefined {
  const { value } = (quasi ?? {}) as { readonly value?: { readonly cooked?: string } };
  return value?.cooked;
}

function templateOf({ quasis, expressions }: Node, of: (node: unknown) => Json): Json {
  if (!Array.isArray(quasis) || !Array.isArray(expressions)) return undefined;
  return quasis.reduce<Json>((text, quasi, index) => {
    const before = index === 0 ? '' : of(expressions[index - 1]);
    return sum(sum(text, before), escaped(cooked(quasi) ?? ''));
  }, '');
}

/** Adds two numbers, or joins two texts. */
function sum(a: Json, b: Json): Json {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  const isPlain = (value: Json): value is string | number => typeof value === 'string' || typeof value === 'number';
  return isPlain(a) && isPlain(b) ? `${a}${b}` : undefined;
}

function known(values: readonly Json[]): Json {
  return values.includes(undefined) ? undefined : values;
}

function objectOf({ properties }: Node, of: (node: unknown) => Json, { keepsUnknown = false }: Options): Json {
  const entries = (Array.isArray(properties) ? properties : []).map((property): [string, Json] | null => {
    const name =
      isNode(property) && property.type === 'Property' && property.computed !== true ? nameOf(property.key) : undefined;
    return name === undefined || name === '__proto__' ? null : [name, of((property as Node).value)];
  });
  const isKnown = entries.every((entry) => entry !== null && (keepsUnknown || entry[1] !== undefined));
  return isKnown || keepsUnknown ? Object.fromEntries(entries.filter((entry) => entry !== null)) : undefined;
}

/** The calls that every script makes for what varies. */
function callOf(node: Node, of: (node: unknown) => Json): Json {
  const { object, name } = calleeOf(node);
  const given = childrenOf(node.arguments).map(of);
  const [first, second] = given;
  if (object === 'JSON' && name === 'stringify') return first === undefined ? undefined : { [JSON_KEY]: first };
  if (name === 'uuidv4' || (object === 'crypto' && name === 'randomUUID')) return '${uuid}';
  if (
    name === 'randomIntBetween' &&
    Number.isSafeInteger(first) &&
    Number.isSafeInteger(second) &&
    Number(first) <= Number(second)
  )
    return `\${integer ${first} ${second}}`;
  if (name !== 'randomItem' || !Array.isArray(first)) return undefined;
  const words = first.map(String);
  return words.length > 0 && words.every((word) => /^[^\s{}]+$/.test(word)) ? `\${pick ${words.join(' ')}}` : undefined;
}
