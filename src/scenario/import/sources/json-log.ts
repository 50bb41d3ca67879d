import { jsonOf } from '../../../base/json-path.ts';
import { withoutUndefined } from '../../../base/schema-values.ts';
import { type LogLine, REQUEST_LINE, timeOfCommon } from './log-line.ts';

/** Where loggers write it, the first that is there: pino, Caddy, and the names that people give in nginx. */
const places = {
  method: ['req.method', 'request.method', 'request_method', 'http_method', 'http.request.method', 'method', 'verb'],
  url: ['req.url', 'request.uri', 'request.url', 'request_uri', 'url', 'uri', 'path', 'url.original'],
  host: ['request.host', 'http_host', 'host'],
  status: ['res.statusCode', 'response.status', 'status', 'status_code', 'statusCode', 'http.response.status_code'],
  time: ['time', 'ts', 'msec', 'timestamp', 'time_iso8601', 'time_local', '@timestamp'],
  client: ['req.remoteAddress', 'request.client_ip', 'request.remote_ip', 'remote_addr', 'client_ip', 'ip'],
  id: ['reqId', 'req.id', 'request_id'],
} as const;

/** A line of a log in JSON. Nothing but the fields above is looked at: headers and bodies stay where they are. */
export function readJsonLine(line: string): LogLine {
  const fields = objectOf(line);
  if (fields === null) return { kind: 'unreadable' };
  const textOf = (place: keyof typeof places): string | undefined => text(firstOf(fields, places[place]));
  const status = Number(textOf('status'));
  const isStatus = Number.isInteger(status) && status >= 100 && status <= 599;
  const id = textOf('id');
  const { request } = fields;
  const [, ofLine, urlOfLine] = (typeof request === 'string' && REQUEST_LINE.exec(request)) || [];
  const method = (ofLine ?? textOf('method'))?.toUpperCase();
  const url = urlOfLine ?? textOf('url');
  if (method === undefined || url === undefined)
    return isStatus && id !== undefined ? { kind: 'status', id, status } : { kind: 'other' };
  const [host, client, atMs] = [textOf('host'), textOf('client'), timeMs(firstOf(fields, places.time))];
  return {
    kind: 'request',
    request: withoutUndefined({ method, url, status: isStatus ? status : undefined, host, client, atMs, id }),
  };
}

function objectOf(line: string): Readonly<Record<string, unknown>> | null {
  const value = jsonOf(line);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

function firstOf(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  return keys.map((key) => at(fields, key)).find((value) => text(value) !== undefined);
}

function at(fields: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path];
  const parts = path.split('.');
  return parts.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined,
    fields,
  );
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Seconds until the year 5138 are less than milliseconds since 1973. */
const SECONDS_END = 100_000_000_000;

function timeMs(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number < SECONDS_END ? number * 1000 : number;
  if (typeof value !== 'string') return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? timeOfCommon(value) : atMs;
}
