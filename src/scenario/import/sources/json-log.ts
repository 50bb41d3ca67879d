import { isObject, jsonOf } from '../../../base/json-path.ts';
import { withoutUndefined } from '../../../base/schema-values.ts';
import { clientOf, type LogLine, REQUEST_LINE, statusOf, timeMs, withoutEscapes } from './log-line.ts';

/**
 * Where loggers write it, the first that is there; case, `_` and `-` do not count. They are of pino, Caddy, Traefik, Envoy
 * and Istio, Google Cloud, the Elastic Common Schema, #Fields of the W3C, and the names that people give in nginx and Apache.
 */
const places = {
  method: 'req.method request.method requestMethod httpMethod http.request.method method verb cs-method',
  url: 'req.url request.uri request.url request.path requestUri requestUrl requestPath originalUrl url.original url.path url uri path cs-uri-stem',
  query: 'args queryString request.query url.query query cs-uri-query',
  host: 'request.host requestHost httpHost authority host x-host-header cs-host',
  status:
    'res.statusCode response.status response.statusCode downstreamStatus http.response.statusCode responseCode statusCode status sc-status',
  time: 'time ts msec startTime startUtc timestamp timeIso8601 timeLocal @timestamp',
  client:
    'xForwardedFor req.remoteAddress request.clientIp request.remoteIp clientHost downstreamRemoteAddress remoteAddr remoteIp clientIp client.ip source.ip ip c-ip',
  id: 'reqId req.id requestId',
  process: 'hostname kubernetes.podName kubernetes.pod.name resource.labels.podName containerId',
  pid: 'pid',
  /** Fluent Bit, Docker, Filebeat and others put the service's line into one of theirs. */
  line: 'log message textPayload event.original',
} as const;
/** Maps in which some put all of it. */
const WRAPPERS = ['jsonpayload', 'httprequest', 'meta', 'log', 'message', 'fields', 'attributes'];

type Place = keyof typeof places;

/** Names of fields that an access log in JSON may have, for messages. */
export function wantedFields(place: Place): string {
  return places[place].split(' ').join(', ');
}

/** A line of a log in JSON. Nothing but the fields above is looked at: headers and bodies stay where they are. */
export function readJsonLine(line: string, readInner: (line: string) => LogLine): LogLine {
  const fields = jsonOf(line);
  if (isObject(fields)) return readFields(fields, readInner);
  const mended = jsonOf(mendedJson(line));
  return isObject(mended) ? readFields(mended, readInner, withoutEscapes) : { kind: 'unreadable' };
}

/** nginx writes JSON by a format of text: by default bytes are escaped as in no JSON, and what is not there is a dash. */
function mendedJson(line: string): string {
  return line
    .replace(/\\(\\|x(?=[0-9a-f]{2}))/gi, (whole, one: string) => (one === '\\' ? whole : '\\\\x'))
    .replace(/(":\s*)-(?=\s*[,}])/g, '$1null');
}

/** A request of a record with fields. `asSent` makes a path of what stands there. */
export function readFields(
  record: Readonly<Record<string, unknown>>,
  readInner: (line: string) => LogLine,
  asSent: (text: string) => string = (text) => text,
): LogLine {
  const fields = byPlainName(record);
  const textOf = (place: Place): string | undefined => text(valueAtPlace(fields, place));
  const status = statusOf(textOf('status'));
  const own = textOf('id');
  const id = own && JSON.stringify([textOf('process'), textOf('pid'), own]);
  const requestLine = fields.get('request');
  const [, ofLine, urlOfLine] = (typeof requestLine === 'string' && REQUEST_LINE.exec(requestLine)) || [];
  const method = (ofLine ?? textOf('method'))?.toUpperCase();
  const url = urlOfLine ?? withQuery(textOf('url'), textOf('query'));
  if (method === undefined || url === undefined) {
    const inner = textOf('line')?.trim();
    const read: LogLine = inner === undefined ? { kind: 'unreadable' } : readInner(inner);
    if (read.kind !== 'unreadable' && read.kind !== 'other') return read;
    return status !== undefined && id !== undefined
      ? { kind: 'status', id, status }
      : { kind: 'other', names: Object.keys(record) };
  }
  const [host, client, atMs] = [textOf('host'), clientOf(textOf('client')), timeMs(valueAtPlace(fields, 'time'))];
  return {
    kind: 'request',
    request: withoutUndefined({ method, url: asSent(url), status, host, client, atMs, id }),
  };
}

/** nginx's `$uri` and others have the query beside them, Apache's `%q` with its question mark. */
function withQuery(url: string | undefined, query: string | undefined): string | undefined {
  if (url === undefined || query === undefined || url.includes('?') || /\s/.test(query)) return url;
  return `${url}?${query.replace(/^\?/, '')}`;
}

const MOST_DEPTH = 3;

/** The fields of a record by their plain names, `req.url` among them. What stands in a wrapper stands beside it as well. */
function byPlainName(record: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const add = (fields: Readonly<Record<string, unknown>>, before: string, depth: number): void => {
    for (const [key, value] of Object.entries(fields)) {
      const plain = plainName(key);
      const name = before + plain;
      if (!isObject(value)) {
        if (!found.has(name)) found.set(name, value);
      } else if (depth < MOST_DEPTH && plain !== 'headers') {
        add(value, `${name}.`, depth + 1);
        if (WRAPPERS.includes(name)) add(value, '', depth + 1);
      }
    }
  };
  add(record, '', 1);
  return found;
}

function plainName(key: string): string {
  return key.toLowerCase().replace(/[_\-()]/g, '');
}

const plainPlaces = Object.fromEntries(
  Object.entries(places).map(([place, names]) => [place, names.split(' ').map(plainName)]),
) as unknown as Record<Place, readonly string[]>;

function valueAtPlace(fields: ReadonlyMap<string, unknown>, place: Place): unknown {
  return plainPlaces[place].map((name) => fields.get(name)).find((value) => text(value) !== undefined);
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value !== '-' ? value : undefined;
}
