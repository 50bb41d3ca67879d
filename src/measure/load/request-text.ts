import { basePath } from './base-path.ts';
import type { RequestSource } from './request-source.ts';
import type { GeneratedRequest } from './requests/generated-request.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly bytes: Buffer;
  readonly name: number;
  readonly isHead: boolean;
}

/** Makes the requests of a source ready to be sent to `url`; one that is always the same only once. */
export function wireRequests(url: URL, source: Pick<RequestSource, 'fixed' | 'next'>): () => WireRequest {
  const write = requestWriter(url);
  if (source.fixed === undefined) return () => write(source.next());
  const fixed = write(source.fixed);
  return () => fixed;
}

/** Methods whose requests have a body, even if it is empty: some services refuse them without a length. */
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);

/** Makes any request ready to be sent to `url`, whose path comes ahead of the request's. */
export function requestWriter(url: URL): (request: GeneratedRequest) => WireRequest {
  const defaults = { host: url.host, connection: 'keep-alive', ...credentialsOf(url) };
  const base = basePath(url);
  return (request) => toWire(request, base, defaults);
}

function toWire(request: GeneratedRequest, base: string, defaults: Readonly<Record<string, string>>): WireRequest {
  const { method, path, headers = {}, body = '', name } = request;
  const hasLength = body !== '' || BODY_METHODS.has(method);
  const given = new Set(Object.keys(headers).map((key) => key.toLowerCase()));
  let head = `${method} ${base}${path} HTTP/1.1\r\n`;
  for (const key in defaults) if (!given.has(key)) head += `${key}: ${defaults[key]}\r\n`;
  for (const key in headers) {
    // The length is that of the body, whatever the scenario says.
    if (!hasLength || key.toLowerCase() !== 'content-length') head += `${key}: ${headers[key]}\r\n`;
  }
  if (hasLength) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
  return { bytes: Buffer.from(`${head}\r\n${body}`), name, isHead: method === 'HEAD' };
}

function credentialsOf({ username, password }: URL): { authorization?: string } {
  if (username === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
