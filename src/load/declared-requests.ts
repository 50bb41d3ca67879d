import { contentTypeOf } from '../base/content-type.ts';
import type { Random } from '../base/random.ts';
import { parseTemplate, type TemplatePart } from '../base/template.ts';
import type { RequestValue } from '../journal/request-value.ts';
import type { RequestSpec } from '../journal/scenario-record.ts';
import type { GeneratedRequest, RequestSource, WorkloadContext } from './request-source.ts';

type Render<T> = () => T;

/** A source for the `requests` of a scenario: drawn by weight, placeholders filled in anew for each request. */
export function declaredRequests(specs: readonly RequestSpec[], context: WorkloadContext): RequestSource {
  const renders = specs.map((spec, name) => compileRequest(spec, name, context));
  const names = specs.map((spec) => spec.name);
  const expected = specs.map((spec) => spec.expect);
  const [first] = renders;
  if (first === undefined) throw new RangeError('declaredRequests: no requests');
  if (renders.length === 1) {
    return { names, expected, next: first, ...(isFixed(specs[0]) && { fixed: first() }) };
  }
  const pick = weightedPick(
    specs.map((spec) => spec.weight),
    context.random,
  );
  return { names, expected, next: () => (renders[pick()] ?? first)() };
}

/** Draws an index in proportion to the weights. */
export function weightedPick(weights: readonly number[], random: Random): () => number {
  let sum = 0;
  const bounds = weights.map((weight) => (sum += weight));
  return () => {
    const point = random.next() * sum;
    return bounds.findIndex((bound) => point < bound);
  };
}

function compileRequest(spec: RequestSpec, name: number, context: WorkloadContext): Render<GeneratedRequest> {
  const path = compileText(spec.path, context);
  const headers = Object.entries(spec.headers).map(([key, value]) => [key, compileText(value, context)] as const);
  const body = compileBody(spec.body, context);
  const base = contentTypeOf(spec.body, spec.headers);
  return () => {
    const request = { method: spec.method, path: path(), name };
    const rendered = { ...base };
    for (const [key, render] of headers) rendered[key] = render();
    const content = body();
    return { ...request, headers: rendered, ...(content !== undefined && { body: content }) };
  };
}

function compileBody(body: RequestValue | undefined, context: WorkloadContext): Render<string | undefined> {
  if (body === undefined) return () => undefined;
  if (typeof body === 'string') return compileText(body, context);
  const value = compileValue(body, context);
  return () => JSON.stringify(value());
}

/** A string that is one `${unique}` or `${integer ..}` becomes a number; every other string stays a string. */
function compileValue(value: RequestValue, context: WorkloadContext): Render<unknown> {
  if (typeof value === 'string') {
    const parts = parseTemplate(value);
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && (only.kind === 'unique' || only.kind === 'integer')) {
      const render = compilePart(only, context);
      return () => Number(render());
    }
    return compileText(value, context);
  }
  if (Array.isArray(value)) {
    const items = value.map((item: RequestValue) => compileValue(item, context));
    return () => items.map((render) => render());
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, compileValue(item, context)] as const);
    return () => Object.fromEntries(entries.map(([key, render]) => [key, render()]));
  }
  return () => value;
}

function compileText(template: string, context: WorkloadContext): Render<string> {
  const parts = parseTemplate(template).map((part) => compilePart(part, context));
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : () => parts.map((render) => render()).join('');
}

function compilePart(part: TemplatePart, { random, unique, token }: WorkloadContext): Render<string> {
  switch (part.kind) {
    case 'text':
      return () => part.text;
    case 'token':
      // The scenario has none of these without a login.
      return () => token ?? '';
    case 'unique':
      return () => String(unique());
    case 'integer':
      return () => String(random.integer(part.low, part.high));
    case 'pick':
      return () => random.pick(part.words);
    case 'uuid':
      return () => uuid(random);
  }
}

/** A version 4 UUID from seeded random numbers, so that a run can be repeated. */
function uuid(random: Random): string {
  const word = (): string => random.integer(0, 0xffff).toString(16).padStart(4, '0');
  const variant = (0x8000 | random.integer(0, 0x3fff)).toString(16);
  return `${word()}${word()}-${word()}-4${word().slice(1)}-${variant}-${word()}${word()}${word()}`;
}

function isFixed(spec: RequestSpec | undefined): boolean {
  const texts = (value: RequestValue | undefined): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  };
  const parts = [...texts(spec?.path), ...texts(spec?.headers), ...texts(spec?.body)].flatMap(parseTemplate);
  return parts.every(({ kind }) => kind === 'text' || kind === 'token');
}
