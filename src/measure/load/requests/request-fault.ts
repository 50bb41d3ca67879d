import { isObject } from '../../../base/json-path.ts';
import { contentFault } from './content-fault.ts';

/** The mistake in what a module returned in place of a request, as the end of a sentence; null where there is none. */
export function requestFault(request: unknown): string | null {
  if (!isObject(request)) return `it returned ${wordFor(request)}, not a request`;
  if (typeof request.then === 'function') return 'it returned a promise, and a request is made without waiting';
  const { method, path, expect } = request;
  if (!isMethod(method)) return `the method of its request is none: ${JSON.stringify(method)}`;
  if (typeof path !== 'string') return 'its request has no path';
  if (!path.startsWith('/'))
    return `the path of its request does not begin with /: ${JSON.stringify(path.slice(0, 200))}`;
  const areStatuses = expect === undefined || (Array.isArray(expect) && expect.every(isStatus));
  return areStatuses ? contentFault(request) : 'expect of its request is no list of statuses, such as [200, 404]';
}

/** True for a token of HTTP (RFC 9110, section 5.6.2), and where there is no method, so that it is the usual one. */
export function isMethod(method: unknown): boolean {
  if (method === undefined) return true;
  return typeof method === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(method);
}

function wordFor(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return value === undefined || value === null ? String(value) : `a ${typeof value}`;
}

function isStatus(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599;
}
