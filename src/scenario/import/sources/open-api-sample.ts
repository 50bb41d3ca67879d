import { NumberText, withNumberPlaceholders } from '../../../base/exact-json.ts';
import { isObject } from '../../../base/json-path.ts';
import { decoded } from '../../../journal/run/secret-leaves.ts';
import { escaped } from '../found.ts';

export interface SampleContext {
  readonly root: Fields;
  /** The property that the value is for. */
  readonly key: string;
  /** The request makes something new, whose id must be new too. */
  readonly creates: boolean;
  /** Is called with the name of a schema that holds itself, where its value is cut. */
  readonly onCut?: (name: string) => void;
  /** How many schemas the request may still be made of: few of them that refer to each other make very many. */
  readonly budget: { left: number };
  /** The schemas that the value is being made of, by `oneOf`, `anyOf` and `allOf`. */
  readonly within?: readonly Fields[];
}

/** A schema of which no value can be made. */
export class BadSchema extends Error {}

/** Deeper than this a value has only what it needs, and then nothing: schemas may hold themselves. */
const DEPTH = { optional: 3, most: 8 };
const MOST_ITEMS = 10;
/** A body of more of them is longer than a scenario's may be. */
export const MOST_SCHEMAS = 20_000;
const OWN_ID = /^_?(id|uuid|guid)$/i;

/** A value that a schema allows, with placeholders of the scenario language for what would vary. Throws BadSchema. */
export function sampleOf(schema: Fields, context: SampleContext, depth = 0): unknown {
  if (--context.budget.left < 0) throw new BadSchema('its schemas have too many parts');
  const shown = shownBy(schema);
  if (shown !== undefined) return escapedValue(shown);
  const words = listOf(schema.enum);
  if (words.length > 0) return wordOf(words);
  const inside = { ...context, within: [...(context.within ?? []), schema] };
  const parts = [...listOf(schema.allOf), ...chosenOf(schema, inside)].flatMap((part) => partOf(part, inside, depth));
  const own = sampleOfType(schema, context, depth, parts.length > 0);
  const all = [...parts, own, discriminatorOf(schema, inside)];
  const maps = all.filter((part) => isObject(part) && Object.keys(part).length > 0);
  return maps.length === 0 ? (parts[0] ?? own) : Object.assign({}, ...maps);
}

/** The value of a part of a schema; nothing where it is being made already: a `oneOf` of what has that in its `allOf`. */
function partOf(written: unknown, context: SampleContext, depth: number): unknown[] {
  const part = schemaOf(written, context);
  if (!context.within?.includes(part)) return [sampleOf(part, context, depth)];
  context.onCut?.(nameOf(written));
  return [];
}

/** The alternative to take: none where one of them is being made already, else the first that is not null. */
function chosenOf(schema: Fields, context: SampleContext): readonly unknown[] {
  return [schema.oneOf, schema.anyOf].flatMap((written) => {
    const all = listOf(written);
    if (all.some((one) => context.within?.includes(schemaOf(one, context)))) return [];
    return all.find((one) => schemaOf(one, context).type !== 'null') ?? all.slice(0, 1);
  });
}

/** The property that says which schema the value is of, by the mapping or by the schema's name. */
function discriminatorOf(schema: Fields, context: SampleContext): Fields {
  const { propertyName, mapping } = fieldsOf(schema.discriminator);
  if (typeof propertyName !== 'string') return {};
  const all = [...listOf(schema.oneOf), ...listOf(schema.anyOf)];
  const named = [
    ...Object.entries(fieldsOf(mapping)).map(([word, $ref]) => ({ word, $ref: refOf($ref) })),
    ...all.map((one) => ({ word: nameOf(one), $ref: textOf(fieldsOf(one).$ref) })),
  ];
  const chosen = textOf(fieldsOf(chosenOf(schema, context)[0]).$ref);
  const made = named.find(({ $ref }) => {
    const of = followed({ $ref }, context.root);
    return $ref !== '' && of !== null && of !== schema && (context.within?.includes(of) || $ref === chosen);
  });
  return made === undefined ? {} : { [propertyName]: made.word };
}

/** A mapping may have a schema's name alone. */
function refOf(target: unknown): string {
  const text = textOf(target);
  return text === '' || text.includes('/') ? text : `#/components/schemas/${text}`;
}

function nameOf(written: unknown): string {
  return textOf(fieldsOf(written).$ref).split('/').at(-1) || 'a schema';
}

/** The schema that stands there or is referred to. Throws BadSchema where it is none. */
function schemaOf(written: unknown, { root }: SampleContext): Fields {
  if (written === true) return {};
  const schema = isObject(written) ? followed(written, root) : null;
  if (schema !== null) return schema;
  const { $ref } = fieldsOf(written);
  throw new BadSchema(
    $ref === undefined ? 'it has a schema that is none' : `its $ref ${textOf($ref)} leads nowhere in this file`,
  );
}

function shownBy(schema: Fields): unknown {
  return schema.example ?? listOf(schema.examples)[0] ?? schema.const ?? schema.default;
}

function wordOf(words: readonly unknown[]): unknown {
  const areWords = words.every((word) => typeof word === 'string' && /^[^\s{}]+$/.test(word));
  return areWords && words.length > 1 ? `\${pick ${words.join(' ')}}` : escapedValue(words[0]);
}

/** A value of the description, in which nothing is a placeholder. */
export function escapedValue(value: unknown): unknown {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(escapedValue);
  if (value instanceof NumberText) return withNumberPlaceholders(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escapedValue(one)]));
}

/** The value by the schema's own type; `hasParts`: others give the value, so that one without a type adds nothing. */
function sampleOfType(schema: Fields, context: SampleContext, depth: number, hasParts: boolean): unknown {
  // A property is another value, which may be of the same schema.
  const nested = { ...context, within: [] };
  const types = [schema.type].flat().filter((one) => one !== undefined);
  const type = types.find((one) => one !== 'null') ?? types[0] ?? typeByWords(schema);
  switch (type) {
    case 'object':
      return objectOf(schema, nested, depth);
    case 'array':
      return depth >= DEPTH.most ? [] : itemsOf(schema, nested, depth);
    case 'integer':
      return wholeNumber(schema, context);
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1.5;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return textFor(schema, context);
    case 'file':
    case undefined:
      return hasParts ? undefined : {};
    default:
      throw new BadSchema(`it has a schema of type ${JSON.stringify(type)}`);
  }
}

/** The type of a schema that has only its words. */
function typeByWords({
  properties,
  items,
  format,
  pattern,
  minLength,
  maxLength,
  minimum,
  maximum,
}: Fields): string | undefined {
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  if ([format, pattern, minLength, maxLength].some((one) => one !== undefined)) return 'string';
  return minimum === undefined && maximum === undefined ? undefined : 'number';
}

function objectOf(schema: Fields, context: SampleContext, depth: number): object {
  if (depth >= DEPTH.most) {
    if (schema.properties !== undefined) context.onCut?.(context.key);
    return {};
  }
  const required = listOf(schema.required);
  if (schema.properties !== undefined && !isObject(schema.properties))
    throw new BadSchema('it has a schema whose properties are no map');
  const properties = Object.entries(fieldsOf(schema.properties)).flatMap(([key, written]) => {
    if (key === '__proto__' || (depth >= DEPTH.optional && !required.includes(key))) return [];
    const property = schemaOf(written, context);
    if (property.readOnly === true) return [];
    const creates = context.creates && depth === 0;
    return [[key, sampleOf(property, { ...context, key, creates }, depth + 1)] as const];
  });
  return Object.fromEntries(properties);
}

function itemsOf(schema: Fields, context: SampleContext, depth: number): unknown[] {
  const least = typeof schema.minItems === 'number' ? schema.minItems : 1;
  const item = sampleOf(schema.items === undefined ? {} : schemaOf(schema.items, context), context, depth + 1);
  return Array.from({ length: Math.min(MOST_ITEMS, Math.max(1, least)) }, () => item);
}

function wholeNumber(schema: Fields, { key, creates }: SampleContext): string {
  if (creates && OWN_ID.test(key)) return '${unique}';
  const limit = (
    name: 'minimum' | 'maximum',
    exclusive: 'exclusiveMinimum' | 'exclusiveMaximum',
    by: number,
  ): number | undefined => {
    const at = schema[name];
    const beyond = schema[exclusive];
    if (typeof beyond === 'number') return beyond + by;
    return typeof at === 'number' ? at + (beyond === true ? by : 0) : undefined;
  };
  const low = Math.ceil(
    limit('minimum', 'exclusiveMinimum', 1) ?? Math.min(1, limit('maximum', 'exclusiveMaximum', -1) ?? 1),
  );
  const high = Math.floor(limit('maximum', 'exclusiveMaximum', -1) ?? Math.max(low, 1000));
  const safe = (number: number): number => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
  return `\${integer ${safe(low)} ${safe(Math.max(low, high))}}`;
}

const formats: Readonly<Record<string, string>> = {
  uuid: '${uuid}',
  email: 'user${unique}@example.com',
  date: '2026-01-31',
  'date-time': '2026-01-31T10:00:00Z',
  time: '10:00:00Z',
  uri: 'https://example.com',
  url: 'https://example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'dGV4dA==',
};

/** The longest that a number of a placeholder becomes. */
const NUMBER_CHARACTERS = 4;

function textFor({ format, minLength, maxLength }: Fields, { key }: SampleContext): string {
  const ofFormat = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (ofFormat !== undefined) return ofFormat;
  const least = Math.min(1000, typeof minLength === 'number' ? minLength : 0);
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const plain = `${key || 'text'} `;
  const isShort = plain.length + NUMBER_CHARACTERS > most;
  if (isShort) return 'a'.repeat(Math.min(1000, Math.max(least, Math.min(most, 1))));
  return `${escaped(plain).padEnd(least, 'a')}\${integer 1 1000}`;
}

/** A map of a description, whatever it holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** A reference may lead to a reference. */
const MOST_STEPS = 20;

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The map itself, or what its `$ref` leads to in the same file; null where that is not there. Nothing else is ever read. */
export function followed(value: unknown, root: Fields): Fields | null {
  let now = fieldsOf(value);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { $ref } = now;
    if (typeof $ref !== 'string') return now;
    if (!$ref.startsWith('#/')) return null;
    const target = $ref
      .slice(2)
      .split('/')
      .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (Object.hasOwn(Object(at), part) ? (at as Fields)[part] : undefined), root);
    if (target === undefined) return null;
    now = fieldsOf(target);
  }
  return null;
}
