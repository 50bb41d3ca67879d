import { isObject, jsonOf } from '../../../base/json-path.ts';
import { withoutUndefined } from '../../../base/schema-values.ts';
import { shortened } from '../../../base/visible.ts';
import {
  type Found,
  type FoundRequest,
  type LeftOut,
  LONG_PAUSE,
  METHODS,
  PAUSE_MS,
  pathAndHost,
  unreadable,
} from '../found.ts';
import { labelOf } from '../routes.ts';
import { readFields, readJsonLine, wantedFields } from './json-log.ts';
import type { LoggedRequest, LogLine } from './log-line.ts';
import { readTextLine } from './text-log.ts';

/** A longer line is no line of an access log. */
const MOST_CHARACTERS = 64 * 1024;
/** Words of a terminal's colours. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');
/** Prefix of a line by docker compose, kubectl logs --prefix, containerd, syslog, and docker logs -t. */
const PREFIX =
  /^(?:(?<process>\S+ +\||\[pod\/\S+\]) )?(?:(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (?:(?:stdout|stderr) [FP] |(?<host>\S+) [^\s:]+(?:\[\d+\])?: )?)?/;
const DIRECTIVE = '#Fields:';

/** The requests of an access log: text, JSON lines or a JSON list, or what `#Fields` names. */
export function readAccessLog(text: string, file: string): Found {
  const requests: LoggedRequest[] = [];
  const leftOut: LeftOut[] = [];
  const open = new Map<string, number>();
  const reader = new LineReader();
  let firstUnreadable = 0;
  let unreadableLines = 0;
  let number = 0;
  let names: readonly string[] | undefined;
  for (const line of entriesOf(text)) {
    number++;
    if (typeof line === 'string' && line.trim() === '') continue;
    const read = reader.read(line);
    if (read === null) continue;
    if (read.kind === 'unreadable') {
      unreadableLines++;
      firstUnreadable ||= number;
      leftOut.push({ what: 'a line', why: 'it is no line of an access log', place: `line ${number}` });
    } else if (read.kind === 'status') {
      const at = open.get(read.id);
      const request = at === undefined ? undefined : requests[at];
      if (at !== undefined && request !== undefined) requests[at] = { ...request, status: read.status };
    } else if (read.kind === 'request') {
      if (read.request.id !== undefined) open.set(read.request.id, requests.length);
      requests.push(read.request);
    } else {
      names ??= read.names;
      leftOut.push({ what: 'a line', why: 'it has no request', place: `line ${number}` });
    }
  }
  if (requests.length === 0 || unreadableLines > requests.length) throw noLog(file, firstUnreadable, names);
  const found: FoundRequest[] = [];
  for (const request of requests) {
    const one = requestOf(request);
    if ('why' in one) leftOut.push(one);
    else found.push(one);
  }
  const pauses = pausesOf(requests);
  const pausesMs = pauses.filter((ms) => ms <= PAUSE_MS.most);
  return {
    kind: 'seen',
    requests: found,
    leftOut: [...leftOut, ...pauses.filter((ms) => ms > PAUSE_MS.most).map(() => LONG_PAUSE)],
    pausesMs,
  };
}

function noLog(file: string, line: number, names: readonly string[] | undefined): Error {
  if (line > 0 || names === undefined) {
    const hint =
      'Formats that are read: common, combined, Envoy, HAProxy, AWS load balancers, morgan; JSON lines of pino, Caddy, nginx, Traefik, Istio and Google Cloud.';
    return unreadable(file, line || 1, 1, 'this is no line of an access log', hint);
  }
  const message = `no line has a method and a path; the first has ${shortened(names.join(', '), 200)}`;
  const hint = `Fields that are read, in any case: method (${wantedFields('method')}), path (${wantedFields('url')}), status (${wantedFields('status')}).`;
  return unreadable(file, 1, 1, message, hint);
}

/** Lines, or the entries of a list in JSON, as Google Cloud exports one. */
function entriesOf(text: string): readonly unknown[] {
  const list = /^\s*\[\s*[{\]]/.test(text) ? jsonOf(text) : undefined;
  return Array.isArray(list) ? list : text.split(/\r?\n/);
}

/** Reads lines, and remembers the fields that a directive has named for those after it. */
class LineReader {
  private names: readonly string[] | null = null;

  /** Null for a comment. */
  read(line: unknown): LogLine | null {
    if (isObject(line)) return readFields(line, readLine);
    if (typeof line !== 'string') return { kind: 'unreadable' };
    if (line.startsWith(DIRECTIVE)) this.names = line.slice(DIRECTIVE.length).trim().split(/\s+/);
    if (line.startsWith('#')) return null;
    if (this.names === null) return readLine(line);
    const values = line.split(line.includes('\t') ? '\t' : ' ');
    const fields = this.names.map((name, at) => [name, values[at]] as const);
    const [date, time] = ['date', 'time'].map((name) => fields.find(([of]) => of === name)?.[1]);
    return readFields({ ...Object.fromEntries(fields), ...(date && time && { time: `${date}T${time}Z` }) }, readLine);
  }
}

function readLine(line: string, isInner = false): LogLine {
  if (line.length > MOST_CHARACTERS) return { kind: 'unreadable' };
  const plain = line.replace(COLOURS, '').trimEnd();
  const prefix = PREFIX.exec(plain);
  const rest = plain.slice(prefix?.[0].length ?? 0);
  // A line that a program has wrapped is not wrapped again.
  const inner = (text: string): LogLine => (isInner ? { kind: 'unreadable' } : readLine(text, true));
  const read = /^\s*\{/.test(rest) ? readJsonLine(rest, inner) : readTextLine(rest);
  const process = prefix?.groups?.process ?? prefix?.groups?.host;
  if (process === undefined) return read;
  if (read.kind === 'status') return { ...read, id: `${process} ${read.id}` };
  if (read.kind !== 'request' || read.request.id === undefined) return read;
  return { ...read, request: { ...read.request, id: `${process} ${read.request.id}` } };
}

function requestOf({ method, url, host, status, atMs }: LoggedRequest): FoundRequest | LeftOut {
  const place = pathAndHost(url);
  if (place === null) return { what: `a ${method}`, why: 'it names no path' };
  const what = labelOf(method, place.path);
  if (!METHODS.includes(method)) return { what, why: 'no method that a scenario can send' };
  if (['POST', 'PUT', 'PATCH'].includes(method))
    return { what, why: 'an access log has no bodies: write this one by hand' };
  return withoutUndefined({ method, headers: {}, ...place, host: host ?? place.host, status, atMs });
}

/** The pauses of each client, also those that are too long to be one. */
function pausesOf(requests: readonly LoggedRequest[]): number[] {
  const last = new Map<string, number>();
  // Many services write a line when its answer is over: a slow request stands after those that came later.
  const inOrder = [...requests].sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
  return inOrder.flatMap(({ client, atMs }) => {
    if (client === undefined || atMs === undefined) return [];
    const pauseMs = atMs - (last.get(client) ?? atMs);
    last.set(client, atMs);
    return pauseMs >= PAUSE_MS.least ? [pauseMs] : [];
  });
}
