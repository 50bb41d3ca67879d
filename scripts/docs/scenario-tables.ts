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

/** One table for each kind of object in the scenario language, in the order of the schema: keys, what they take, what they mean. */
export function scenarioTables(schema: JsonSchema): string {
  const shown: Section[] = [];
  const parts: string[] = [];
  for (const alike of alikeSections(sectionsIn({ path: '', schema }))) {
    const [section] = alike;
    parts.push([headingOf(alike), ...bodyOf(section, shown)].join('\n\n'));
    shown.push(section);
  }
  return parts.join('\n\n');
}

type Alike = readonly [Section, ...Section[]];

/** Sections with the same keys stand once, where the first of them is. */
function alikeSections(sections: readonly Section[]): Alike[] {
  const found = new Map<string, [Section, ...Section[]]>();
  for (const section of sections) {
    const keys = JSON.stringify(section.schema.properties);
    const before = found.get(keys);
    if (before === undefined) found.set(keys, [section]);
    else before.push(section);
  }
  return [...found.values()];
}

function headingOf([{ path }, ...others]: Alike): string {
  if (path === '') return '### The whole file';
  const also = others.length === 0 ? '' : `\n\nAlso ${others.map((other) => code(other.path)).join(', ')}.`;
  return `### ${code(path)}${also}`;
}

/** A section that has most of its keys in common with one above names that one, and shows what is different. */
function bodyOf(section: Section, above: readonly Section[]): string[] {
  const [model] = above.toSorted((a, b) => sharedKeys(section, b).length - sharedKeys(section, a).length);
  if (model === undefined || sharedKeys(section, model).length <= keysOf(section.schema).length / 2) {
    return [tableOf(section.schema)];
  }
  const shared = new Set(sharedKeys(section, model));
  const absent = keysOf(model.schema).flatMap(([key]) => (section.schema.properties?.[key] ? [] : [code(key)]));
  const own = Object.fromEntries(keysOf(section.schema).filter(([key]) => !shared.has(key)));
  const without = absent.length === 0 ? '' : ` except ${absent.join(', ')}`;
  const sentence = `The keys of ${code(model.path)}${without}`;
  if (Object.keys(own).length === 0) return [`${sentence}.`];
  return [`${sentence}, and:`, tableOf({ ...section.schema, properties: own })];
}

/** The keys that mean and take the same in both. */
function sharedKeys({ schema }: Section, { schema: other }: Section): string[] {
  return keysOf(schema).flatMap(([key, value]) =>
    JSON.stringify(other.properties?.[key]) === JSON.stringify(value) ? [key] : [],
  );
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

/** Keys that all take the same, such as the names of probes, are one row. */
function tableOf(schema: JsonSchema): string {
  const required = new Set(schema.required);
  const keys = keysOf(schema);
  const rows = isAlike(schema)
    ? [[keys.map(([key]) => code(key)).join(', '), takes(keys[0]?.[1] ?? {}), '']]
    : keys.map(([key, value]) => [
        `${code(key)}${required.has(key) ? ' (needed)' : ''}`,
        takes(value),
        escaped(value.description ?? ''),
      ]);
  return markdownTable([['key', 'takes', 'meaning'], ...rows], {
    // Without the colons the line below the head would begin a list.
    align: 'l',
    alignDelimiters: false,
    delimiterStart: false,
    delimiterEnd: false,
  });
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  null: 'nothing',
};

/** What a key takes, in words: `text`, `on or off`, `list of text`, `keys`. */
function takes(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined) return orOf(schema.anyOf.map(takes));
  if (schema.properties !== undefined) return 'keys';
  if (typeof schema.additionalProperties === 'object') return `${takes(schema.additionalProperties)} by name`;
  if (schema.items !== undefined) return `list of ${takes(schema.items)}`;
  if (schema.type === undefined) return 'JSON';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return orOf(types.map((type) => typeWords[type] ?? type));
}

/** `duration, auto or off`; `value` is what the page says of it. */
function orOf(words: readonly string[]): string {
  const different = [...new Set(words)];
  if (different.join() === 'text,number,boolean') return 'value';
  const last = different.pop() ?? '';
  return different.length === 0 ? last : `${different.join(', ')} or ${last}`;
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
