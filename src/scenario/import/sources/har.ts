import { parseExpressionAt } from 'acorn';
import { z } from 'zod';
import { exactJsonOf } from '../../../base/exact-json.ts';
import { withoutUndefined } from '../../../base/schema-values.ts';
import {
  bodyOf,
  type Found,
  type FoundAnswer,
  type FoundBody,
  type FoundRequest,
  type LeftOut,
  LONG_PAUSE,
  METHODS,
  PAUSE_MS,
  pathAndHost,
  unreadable,
} from '../found.ts';
import { labelOf } from '../routes.ts';

/** A field that exporters also write as null or in their own form: it counts as absent. */
const lenient = <Value extends z.ZodType>(value: Value) => value.optional().catch(undefined);

const text = lenient(z.string());
const number = lenient(z.number());
/** Names and values; those without one of them are left out. */
const pairs = lenient(z.array(z.looseObject({ name: text, value: text })));

/** Part of a HAR 1.2 entry that is read; browsers write much more. Only a method and an address have to be there. */
const entry = z.object({
  startedDateTime: text,
  time: number,
  request: z.object({
    method: z.string().min(1),
    url: z.string().min(1),
    headers: pairs,
    bodySize: number,
    postData: lenient(z.object({ mimeType: text, text, encoding: text, params: pairs })),
  }),
  response: lenient(
    z.object({ status: number, headers: pairs, content: lenient(z.object({ mimeType: text, text, encoding: text })) }),
  ),
  _fromCache: text,
  _resourceType: text,
});

type Entry = z.infer<typeof entry>;

const archive = z.object({ log: z.object({ entries: z.array(z.unknown()) }) });

/** The requests of an HTTP archive (HAR 1.2), as browsers and proxies save it. */
export function readHar(text: string, file: string): Found {
  const parsed = archive.safeParse(parseJson(text, file));
  if (!parsed.success) {
    const hint = 'Browsers save one from the network tab of their developer tools.';
    throw unreadable(file, 1, 1, 'this is no HAR: expected { "log": { "entries": [...] } }', hint);
  }
  const requests: (FoundRequest & { pauseMs?: number })[] = [];
  const leftOut: LeftOut[] = [];
  const spans: Span[] = [];
  for (const [index, written] of parsed.data.log.entries.entries()) {
    const place = `entry ${index + 1}`;
    const { data, error } = entry.safeParse(written);
    if (data === undefined) {
      const [issue] = error.issues;
      leftOut.push({ what: 'an entry', why: `${issue?.path.join('.')} is not as in HAR 1.2`, place });
      continue;
    }
    const span = spanOf(data);
    const found = requestOf(data, span?.startMs);
    if ('why' in found) leftOut.push({ ...found, place });
    else requests.push(found);
    if (span !== null) spans.push({ ...span, request: requests.length - 1 });
  }
  const all = pausesBetween(spans);
  const pauses = all.filter(({ pauseMs }) => pauseMs <= PAUSE_MS.most);
  for (let long = pauses.length; long < all.length; long++) leftOut.push(LONG_PAUSE);
  for (const { after, pauseMs } of pauses) {
    const request = requests[after];
    if (request !== undefined) request.pauseMs = (request.pauseMs ?? 0) + pauseMs;
  }
  return { kind: 'seen', requests, leftOut, pausesMs: pauses.map(({ pauseMs }) => pauseMs) };
}

function requestOf(written: Entry, atMs: number | undefined): FoundRequest | LeftOut {
  const { request, response } = written;
  const method = request.method.toUpperCase();
  const place = pathAndHost(request.url);
  if (place === null)
    return { what: `${method} ${/^[a-z][a-z0-9+.-]*:/i.exec(request.url)?.[0] ?? ''}`, why: 'its address is not http' };
  const what = labelOf(method, place.path);
  if (!METHODS.includes(method)) return { what, why: 'no method that a scenario can send' };
  const status = response?.status ?? 0;
  if (status === 101 || written._resourceType === 'websocket') return { what, why: 'a WebSocket' };
  if (written._fromCache) return { what, why: 'the browser answered it from its cache' };
  if (status < 100 || status > 599) return { what, why: 'it was never answered' };
  const body = bodyOfEntry(request.postData);
  const headers = Object.fromEntries(named(request.headers));
  const isCut = (request.bodySize ?? 0) > 0 || Number(headers['content-length']) > 0;
  if (body === undefined && isCut) return { what, why: 'its body is not in the HAR' };
  if (body === null) return { what, why: `its body is ${typeOf(request.postData)}, which a scenario cannot send` };
  return withoutUndefined({ ...place, method, headers, status, answer: answerOf(status, response), body, atMs });
}

function answerOf(status: number, response: Entry['response']): FoundAnswer {
  const { content } = response ?? {};
  const isJson = /\bjson\b/i.test(content?.mimeType ?? '');
  return {
    status,
    headers: named(response?.headers),
    ...(isJson && { json: exactJsonOf(decoded(content?.text ?? '', content?.encoding)) }),
  };
}

type Pairs = Entry['request']['headers'];

/** Headers that have a name and a value, with the name in lower case. */
function named(headers: Pairs): (readonly [name: string, value: string])[] {
  return (headers ?? []).flatMap(({ name, value }) =>
    name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const],
  );
}

function decoded(text: string, encoding: string | undefined): string {
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString() : text;
}

function bodyOfEntry(data: Entry['request']['postData']): FoundBody | undefined | null {
  if (!data) return undefined;
  const type = data.mimeType ?? '';
  if (data.encoding === 'base64' || /^multipart\//i.test(type)) return null;
  if (data.text) return bodyOf(data.text, type);
  if (!data.params?.length) return undefined;
  return { kind: 'form', fields: data.params.map(({ name = '', value = '' }) => [name, value] as const) };
}

function typeOf(data: Entry['request']['postData']): string {
  return data?.mimeType?.split(';')[0]?.slice(0, 60) || 'binary';
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
  /** Its place among the requests, or that of the last before it, where it became none. */
  readonly request: number;
}

function spanOf({ startedDateTime, time = 0 }: Entry): Omit<Span, 'request'> | null {
  const startMs = Date.parse(startedDateTime ?? '');
  return Number.isNaN(startMs) ? null : { startMs, endMs: startMs + Math.max(0, time) };
}

interface Pause {
  readonly pauseMs: number;
  /** The place of the request that ended last before it. */
  readonly after: number;
}

/** How long nothing was under way, between two requests. */
function pausesBetween(spans: readonly Span[]): Pause[] {
  const pauses: Pause[] = [];
  let last: Span | null = null;
  for (const span of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    if (last !== null && span.startMs - last.endMs >= PAUSE_MS.least)
      pauses.push({ pauseMs: span.startMs - last.endMs, after: last.request });
    if (last === null || span.endMs >= last.endMs) last = span;
  }
  return pauses;
}

/** A value of JSON. Throws PgsweepError `usage` with line and column where it is none. */
function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = placeOfMistake(text, error);
    // What the engine says quotes the text, which may hold a secret.
    throw unreadable(file, line, column, 'this is no JSON', 'It may have been cut off, or saved by something else.');
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Not every version of the engine says where; JSON that is broken is seldom a JavaScript expression either. */
function placeOfMistake(text: string, error: unknown): Place {
  const position = /\bposition (\d+)/.exec(String(error))?.[1];
  if (position !== undefined) return placeAt(text, Number(position));
  try {
    parseExpressionAt(text, 0, { ecmaVersion: 'latest' });
  } catch (mistake) {
    const { pos } = mistake as { readonly pos?: unknown };
    if (typeof pos === 'number') return placeAt(text, pos);
  }
  return placeAt(text, 0);
}

function placeAt(text: string, position: number): Place {
  const before = text.slice(0, position);
  const lastEnd = before.lastIndexOf('\n');
  return { line: before.split('\n').length, column: position - lastEnd };
}
