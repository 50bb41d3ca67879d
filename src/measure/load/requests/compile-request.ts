import { contentTypeOf, inJsonString, isJsonType, sentTypeOf } from '../../../base/content-type.ts';
import { PgsweepError } from '../../../base/errors.ts';
import { exactJson, exactNumber } from '../../../base/exact-json.ts';
import type { Random } from '../../../base/random.ts';
import { parseTemplate, type TemplatePart } from '../../../base/template.ts';
import type { RequestValue, SentRequest } from '../../../journal/request-value.ts';
import type { Captured } from '../script/captures.ts';
import type { WorkloadContext } from '../workload-module.ts';
import { encodedPath } from './encoded-path.ts';
import type { GeneratedRequest } from './generated-request.ts';

export type Render<T> = () => T;

/** Source of values for placeholders. Each request asks it again, so it may belong to one user after the other. */
export interface TemplateContext
  extends Pick<WorkloadContext, 'random' | 'unique' | 'token'>,
    Partial<Pick<WorkloadContext, 'documents'>> {
  /** Value that the user captured by that name; only in a script. */
  readonly captured?: (name: string) => Captured;
  /** Value of that column in the user's row of data; only in a script. */
  readonly data?: (column: string) => string;
}

/** Makes requests of that name from what a scenario says of them, placeholders filled in for each of them. */
export function compileRequest(spec: SentRequest, name: number, context: TemplateContext): Render<GeneratedRequest> {
  const path = compilePath(spec.path, context);
  const headers = Object.entries(spec.headers).map(
    ([key, value]) => [key, compileText(value, context, onOneLine)] as const,
  );
  const base = contentTypeOf(spec.body, spec.headers);
  const body = compileBody(spec, context);
  return () => {
    const request = { method: spec.method, path: path(), name };
    const rendered = { ...base };
    for (const [key, render] of headers) rendered[key] = render();
    const content = body();
    return { ...request, headers: rendered, ...(content !== undefined && { body: content }) };
  };
}

/** Parts of all texts of a request. */
export function templatePartsOf({ path, headers, body }: SentRequest): TemplatePart[] {
  const textsIn = (value: RequestValue | undefined): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
  };
  return [path, ...textsIn(headers), ...textsIn(body)].flatMap(parseTemplate);
}

/** How a value of somebody else's stands in a text. */
type Encode = (value: string) => string;

const asItIs: Encode = (value) => value;
const onOneLine: Encode = (value) => value.replace(/[\r\n\0]/g, ' ');
/** Encodes a value for an address. Text that is no Unicode becomes replacement characters. */
const inAddress: Encode = (value) => encodeURIComponent(Buffer.from(value).toString());
/** A value at the beginning of a path is a path, such as a captured Location; elsewhere it is encoded. */
function compilePath(template: string, context: TemplateContext): Render<string> {
  const renders = parseTemplate(template).map((part, at) =>
    compilePart(withEncoded(part), context, at === 0 ? encodedPath : inAddress),
  );
  return joined(renders);
}

/** The part with the scenario's own text encoded as far as it is not. */
function withEncoded(part: TemplatePart): TemplatePart {
  if (part.kind === 'text') return { ...part, text: encodedPath(part.text) };
  return part.kind === 'pick' ? { ...part, words: part.words.map(encodedPath) } : part;
}

function compileBody(
  { body, headers }: Pick<SentRequest, 'body' | 'headers'>,
  context: TemplateContext,
): Render<string | undefined> {
  if (body === undefined) return () => undefined;
  if (typeof body !== 'string') {
    const value = compileValue(body, context);
    return () => exactJson(value());
  }
  const type = sentTypeOf(body, headers);
  const isForm = /x-www-form-urlencoded/i.test(type);
  return compileText(body, context, isForm ? inAddress : isJsonType(type) ? inJsonString : asItIs);
}

/** A string that is one placeholder of a number becomes a number, and one that is captured stays what it was; others are strings. */
function compileValue(value: RequestValue, context: TemplateContext): Render<unknown> {
  if (typeof value === 'string') {
    const parts = parseTemplate(value);
    const [only] = parts;
    if (parts.length === 1 && only?.kind === 'number') {
      const number = exactNumber(only.text);
      return () => number;
    }
    if (parts.length === 1 && only?.kind === 'captured') return () => context.captured?.(only.name);
    if (parts.length === 1 && only !== undefined && (only.kind === 'unique' || only.kind === 'integer')) {
      const render = compilePart(only, context, asItIs);
      return () => Number(render());
    }
    return compileText(value, context, asItIs);
  }
  if (Array.isArray(value)) {
    const items = value.map((item: RequestValue) => compileValue(item, context));
    return () => items.map((render) => render());
  }
  if (typeof value === 'object' && value !== null) {
    // A key has no placeholders, and is written like other texts without any.
    const entries = Object.entries(value).map(
      ([key, item]) => [key.replaceAll('$${', () => '${'), compileValue(item, context)] as const,
    );
    return () => Object.fromEntries(entries.map(([key, render]) => [key, render()]));
  }
  return () => value;
}

function compileText(template: string, context: TemplateContext, encode: Encode): Render<string> {
  return joined(parseTemplate(template).map((part) => compilePart(part, context, encode)));
}

function joined(renders: readonly Render<string>[]): Render<string> {
  const [only] = renders;
  return renders.length === 1 && only !== undefined ? only : () => renders.map((render) => render()).join('');
}

/** `encode` is for what comes from answers and data. */
function compilePart(part: TemplatePart, context: TemplateContext, encode: Encode): Render<string> {
  switch (part.kind) {
    case 'text':
      return () => part.text;
    case 'token':
      // The scenario has none of these without a login.
      return () => context.token ?? '';
    case 'number':
      return () => part.text;
    case 'unique':
      return () => String(context.unique());
    case 'integer':
      return () => String(context.random.integer(part.low, part.high));
    case 'pick':
      return () => context.random.pick(part.words);
    case 'uuid':
      return () => uuid(context.random);
    case 'captured':
      return () => encode(String(context.captured?.(part.name) ?? ''));
    case 'data':
      return () => encode(context.data?.(part.column) ?? '');
    case 'loaded':
      return loadedId(part, context, encode);
  }
}

function loadedId(
  { resource }: Extract<TemplatePart, { readonly kind: 'loaded' }>,
  { documents = [], random }: TemplateContext,
  encode: Encode,
): Render<string> {
  const ids = documents.flatMap((one) => (resource === null || one.resource === resource ? [one.id] : []));
  if (ids.length > 0) return () => encode(random.pick(ids));
  const kinds = [...new Set(documents.map((one) => one.resource))].join(', ');
  throw new PgsweepError(
    'load',
    `\${loaded${resource === null ? '' : ` ${resource}`}}: load.bulk has no id of that kind`,
    {
      hint:
        kinds === ''
          ? 'An id is the last part of the Location header, or "id" in the answer; no answer had one.'
          : `Kinds that have ids: ${kinds}.`,
    },
  );
}

/** A version 4 UUID from seeded random numbers, so that a run can be repeated. */
function uuid(random: Random): string {
  const word = (): string => random.integer(0, 0xffff).toString(16).padStart(4, '0');
  const variant = (0x8000 | random.integer(0, 0x3fff)).toString(16);
  return `${word()}${word()}-${word()}-4${word().slice(1)}-${variant}-${word()}${word()}${word()}`;
}
