import { isObject } from '../../../base/json-path.ts';

/** Facts of a request that a module makes, before it is known that they are right. */
interface UnsureContent {
  readonly name?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

/** The advice for a body that JSON would turn into something else, by its kind. */
const insteadOf: Readonly<Record<string, string>> = {
  URLSearchParams: 'write String(params), and its content-type: application/x-www-form-urlencoded',
  Map: 'write Object.fromEntries(map)',
  Set: 'write [...set]',
  Function: 'call it',
  AsyncFunction: 'call it; a request is made without waiting',
  Promise: 'a request is made without waiting',
};
const BYTES = 'write its text, such as Buffer.from(bytes).toString(); a body of other bytes cannot be sent';
const OTHERS: ReadonlySet<string> = new Set([
  'FormData',
  'Blob',
  'File',
  'ReadableStream',
  'Headers',
  'Symbol',
  'BigInt',
]);

/**
 * The mistake in the name, headers or body of a module's request, as the end of a sentence; null where there is none. What
 * is no plain value would be sent as something else without a word: `Headers` as no headers, `URLSearchParams` as `{}`.
 */
export function contentFault({ name, headers, body }: UnsureContent): string | null {
  if (name !== undefined && typeof name !== 'string')
    return `the name of its request is no text but a ${typeof name}: write String(name)`;
  return (headers === undefined ? null : headersFault(headers)) ?? bodyFault(body);
}

function headersFault(headers: unknown): string | null {
  const kind = kindOf(headers);
  // An object of a class of the user's own has texts, too.
  if (!isObject(headers) || kind !== 'Object') {
    const advice = kind === 'Headers' || kind === 'Map' ? ': write Object.fromEntries(headers)' : '';
    return `headers of its request is no object with texts, but ${kind}${advice}`;
  }
  for (const key in headers) {
    if (!Object.hasOwn(headers, key)) return `the header ${key} of its request is inherited: write it into headers`;
    const value = headers[key];
    if (typeof value !== 'string' && typeof value !== 'number')
      return `the header ${key} of its request is no text, but ${kindOf(value)}`;
  }
  return null;
}

function bodyFault(body: unknown): string | null {
  if (typeof body === 'string' || body === undefined || Array.isArray(body) || isPlain(body)) return null;
  const kind = kindOf(body);
  const advice = body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? BYTES : insteadOf[kind];
  if (advice !== undefined) return `the body of its request is neither text nor JSON, but ${kind}: ${advice}`;
  return OTHERS.has(kind)
    ? `the body of its request is neither text nor JSON, but ${kind}: write a text, or a value that JSON has`
    : null;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** `Headers`, `Uint8Array`, `Null`: what JavaScript itself calls a value. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}
