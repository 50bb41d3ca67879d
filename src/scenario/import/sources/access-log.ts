import { withoutUndefined } from '../../../base/schema-values.ts';
import { type Found, type FoundRequest, type LeftOut, METHODS, pathAndHost, unreadable } from '../found.ts';
import { labelOf } from '../routes.ts';
import { readJsonLine } from './json-log.ts';
import { type LoggedRequest, type LogLine, REQUEST_LINE, timeOfCommon } from './log-line.ts';

/** A longer line is no line of an access log. */
const MOST_CHARACTERS = 64 * 1024;
/** Longest pause of a user who thinks; after a longer one it is another visit. */
const PAUSE_MS = { least: 500, most: 300_000 };

/** `127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326`, with or without a virtual host before it. */
const COMMON = /^(?:\S+:\d+ )?(\S+) \S+ .*?\[([^\]]{1,60})\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: |$)/;

/** The requests of an access log: common or combined format, or JSON lines. */
export function readAccessLog(text: string, file: string): Found {
  const requests: LoggedRequest[] = [];
  const leftOut: LeftOut[] = [];
  const open = new Map<string, number>();
  let firstUnreadable = 0;
  let unreadableLines = 0;
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    if (line.trim() === '') continue;
    const read = lineOf(line);
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
    } else leftOut.push({ what: 'a line', why: 'it has no request', place: `line ${number}` });
  }
  if (requests.length === 0 || unreadableLines > requests.length) {
    const hint = 'Formats that are read: common, combined, and JSON lines of pino, Caddy and nginx.';
    throw unreadable(file, firstUnreadable || 1, 1, 'this is no line of an access log', hint);
  }
  const found: FoundRequest[] = [];
  for (const request of requests) {
    const one = requestOf(request);
    if ('why' in one) leftOut.push(one);
    else found.push(one);
  }
  return { kind: 'seen', requests: found, leftOut, pausesMs: pausesOf(requests) };
}

function lineOf(line: string): LogLine {
  if (line.length > MOST_CHARACTERS) return { kind: 'unreadable' };
  if (/^\s*\{/.test(line)) return readJsonLine(line);
  const [, client = '', time = '', sent = '', status = ''] = COMMON.exec(line) ?? [];
  if (status === '') return { kind: 'unreadable' };
  const [, method = '', url = ''] = REQUEST_LINE.exec(sent) ?? [];
  // What scanners send is often no HTTP, and the server logs what it got.
  if (method === '') return { kind: 'other' };
  const request = withoutUndefined({ method, url, status: Number(status), client, atMs: timeOfCommon(time) });
  return { kind: 'request', request };
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

function pausesOf(requests: readonly LoggedRequest[]): number[] {
  const last = new Map<string, number>();
  return requests.flatMap(({ client, atMs }) => {
    if (client === undefined || atMs === undefined) return [];
    const pauseMs = atMs - (last.get(client) ?? atMs);
    last.set(client, atMs);
    return pauseMs >= PAUSE_MS.least && pauseMs <= PAUSE_MS.most ? [pauseMs] : [];
  });
}
