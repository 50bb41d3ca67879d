import { markdownTable } from 'markdown-table';

/** What is read of a JSON Schema as zod writes it. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

interface Section {
  /** `target.login`, `sweep.NAME`, `load.requests[]` */
  readonly path: string;
  readonly schema: JsonSchema;
}

/** One table for each object of the scenario language, in the order of the schema: keys, what they take, what they mean. */
export function scenarioTables(schema: JsonSchema): string {
  return sectionsIn({ path: '', schema })
    .map((section) => [headingOf(section), tableOf(section)].join('\n\n'))
    .join('\n\n');
}

function headingOf({ path }: Section): string {
  return path === '' ? '### The whole file' : `### \`${path}\``;
}

/** An object, and the objects in it; alike ones (the probes) stand once. */
function sectionsIn(section: Section): Section[] {
  const inside = keysOf(section.schema).flatMap(([key, value]) =>
    sectionsIn({ path: section.path === '' ? key : `${section.path}.${key}`, schema: value }),
  );
  const { path, schema } = section;
  if (schema.properties !== undefined) return [section, ...(isAlike(schema) ? [] : inside)];
  if (typeof schema.additionalProperties === 'object') {
    return sectionsIn({ path: `${path}.NAME`, schema: schema.additionalProperties });
  }
  if (schema.items !== undefined) return sectionsIn({ path: `${path}[]`, schema: schema.items });
  return (schema.anyOf ?? []).filter((one) => !isScalarList(one)).flatMap((one) => sectionsIn({ path, schema: one }));
}

/** Whether all keys take the same, as the names of probes do. */
function isAlike(schema: JsonSchema): boolean {
  const [first, ...others] = keysOf(schema).map(([, value]) => JSON.stringify(value));
  return others.length > 1 && others.every((other) => other === first);
}

function keysOf({ properties = {} }: JsonSchema): [string, JsonSchema][] {
  return Object.entries(properties);
}

function isScalarList({ items }: JsonSchema): boolean {
  return items !== undefined && items.properties === undefined;
}

function tableOf({ schema }: Section): string {
  const required = new Set(schema.required);
  const rows = keysOf(schema).map(([key, value]) => [
    `\`${key}\`${required.has(key) ? ' (needed)' : ''}`,
    takes(value),
    escaped(value.description ?? ''),
  ]);
  return markdownTable([['key', 'takes', 'meaning'], ...rows], { alignDelimiters: false });
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
  null: 'nothing',
};

/** What a key takes, in words: `text`, `on or off`, `list of texts`, `keys below`. */
function takes(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(takes))].join(', or ');
  if (schema.properties !== undefined) return 'keys, see below';
  if (typeof schema.additionalProperties === 'object') return `names, each with ${takes(schema.additionalProperties)}`;
  if (schema.items !== undefined) return `list of: ${takes(schema.items)}`;
  if (schema.type === undefined) return 'any JSON';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return types.map((type) => typeWords[type] ?? type).join(' or ');
}

function code(value: unknown): string {
  return `\`${value}\``;
}

/** Placeholders such as `${unique}` are code; what Markdown would obey in a table is not. */
function escaped(text: string): string {
  return text
    .replace(/\$\{[^}]*\}/g, '`$&`')
    .replaceAll('``', '`')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}
