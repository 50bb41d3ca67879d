import { isObject } from '../../../base/json-path.ts';
import { encodedTemplate } from '../found.ts';

/** How a parameter stands in a request. */
export interface Style {
  readonly name: string;
  readonly style: string;
  /** Each item stands alone. */
  readonly explode: boolean;
}

/** Styles of Swagger 2.0 by those of OpenAPI 3; `tsv` has no other name. */
const collectionFormats: Readonly<Record<string, Omit<Style, 'name'>>> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
};

/** Between the items of a list, as they stand in an address. */
const delimiters: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: '%20',
  tabDelimited: '%09',
  pipeDelimited: '%7C',
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** The style of a parameter, by default that of its place. Swagger 2.0 has a collectionFormat instead. */
export function styleOf(parameter: Readonly<Record<string, unknown>>, isSwagger: boolean): Style {
  const name = String(parameter.name);
  const inQuery = ['query', 'cookie', 'formData'].includes(String(parameter.in));
  if (isSwagger) {
    const { collectionFormat } = parameter;
    const known = collectionFormats[isText(collectionFormat) ? collectionFormat : 'csv'];
    return { name, ...(known ?? { style: 'form', explode: false }), ...(!inQuery && { style: 'simple' }) };
  }
  const style = isText(parameter.style) ? parameter.style : inQuery ? 'form' : 'simple';
  return { name, style, explode: typeof parameter.explode === 'boolean' ? parameter.explode : style === 'form' };
}

/** How values and names are written: as in an address, or as they are, where a form or a header encodes them itself. */
interface Writing {
  readonly value: (template: string) => string;
  readonly name: (name: string) => string;
  readonly delimiter: (encoded: string) => string;
}

export const inAddress: Writing = { value: encodedTemplate, name: encodeURIComponent, delimiter: (encoded) => encoded };
export const asIs: Writing = { value: (text) => text, name: (name) => name, delimiter: decodeURIComponent };

/** Pairs of a query, a cookie or a form, by the table of styles in OpenAPI 3.1. */
export function pairsOf(value: unknown, { name, style, explode }: Style, writing: Writing): [string, string][] {
  const item = (one: unknown): string => writing.value(templateOf(one));
  const joined = (items: readonly string[]): string => items.join(writing.delimiter(delimiters[style] ?? ','));
  if (Array.isArray(value)) {
    if (explode) return value.map((one) => [writing.name(name), item(one)]);
    return value.length === 0 ? [] : [[writing.name(name), joined(value.map(item))]];
  }
  if (!isObject(value)) return [[writing.name(name), item(value)]];
  const entries = Object.entries(value);
  if (style === 'deepObject') {
    const inner = (key: string, one: unknown): Style => ({
      name: `${name}[${key}]`,
      style: isObject(one) ? style : 'form',
      explode: true,
    });
    return entries.flatMap(([key, one]) => pairsOf(one, inner(key, one), writing));
  }
  if (explode) return entries.map(([key, one]) => [writing.name(key), item(one)]);
  return [[writing.name(name), joined(entries.flatMap(([key, one]) => [writing.name(key), item(one)]))]];
}

/** A value in a path or a header: `3,4,5`, `.3.4.5` (label), or `;ids=3,4,5` (matrix). */
export function textOfStyle(value: unknown, { name, style, explode }: Style, writing: Writing): string {
  const item = (one: unknown): string => writing.value(templateOf(one));
  const isMap = isObject(value);
  const items = isMap
    ? Object.entries(value).flatMap(([key, one]) =>
        explode ? `${writing.name(key)}=${item(one)}` : [writing.name(key), item(one)],
      )
    : [value].flat().map(item);
  if (style === 'label') return `.${items.join(explode ? '.' : ',')}`;
  if (style !== 'matrix') return items.join(',');
  if (explode) return items.map((one) => (isMap ? `;${one}` : `;${writing.name(name)}=${one}`)).join('');
  return `;${writing.name(name)}=${items.join(',')}`;
}

function templateOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
