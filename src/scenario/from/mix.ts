import type { Found, FoundRequest, LeftOut } from './found.ts';
import { isKeptHeader, templateOfHeader } from './headers.ts';
import { partsOf, routesOf, VARIES } from './routes.ts';
import { createRedactor, keyOfSegment } from './secrets.ts';
import { byFrequency, mergedText, mergedValue, oneOfWords, shapeOf, wordsKept } from './varying.ts';

/** One request of a scenario, which stands for many that were found. */
export interface MixedRequest {
  /** As it stands in `load.requests`. */
  readonly request: Readonly<Record<string, unknown>>;
  /** How many of the requests that were found it stands for. */
  readonly count: number;
  /** The statuses that were seen, the most frequent first. */
  readonly statuses: readonly number[];
  /** Places where it has fewer words than were seen. */
  readonly shortened: readonly Shortened[];
}

export interface Shortened {
  readonly place: string;
  readonly kept: number;
  readonly seen: number;
}

export interface Mix {
  readonly kind: Found['kind'];
  /** The most frequent first, as long as they are seen; else in the order of the source. */
  readonly requests: readonly MixedRequest[];
  readonly leftOut: readonly LeftOut[];
  /** The requests that were found, also those that are left out for their host or their number. */
  readonly total: number;
  /** From the first request to the last, in milliseconds; null where the source has no times. */
  readonly lengthMs: number | null;
  readonly pausesMs: readonly number[];
  /** Variables in place of secrets, with how many different ones each stands for. */
  readonly secrets: ReadonlyMap<string, number>;
}

/** As many requests as somebody reads, and as much text as a scenario may have with room to spare. */
const MOST = { requests: 100, characters: 400_000, body: 16_000, depth: 50, address: 2000, segments: 50 };
const MOST_WEIGHT = 1_000_000;
const FORM = 'application/x-www-form-urlencoded';

/** The requests of a source as the fewest that stand for all of them. `host` names whose are wanted where there are several. */
export function mixOf(found: Found, host: string | undefined): Mix {
  const wanted = host ?? mostFrequentHost(found.requests);
  const leftOut = [...found.leftOut];
  const ofHost = found.requests.filter((request) => {
    const isWanted = request.host === undefined || wanted === undefined || request.host === wanted;
    if (!isWanted) leftOut.push({ what: `requests to ${request.host}`, why: `another host; --host ${request.host} takes those` });
    const isShort = request.path.length <= MOST.address && request.path.split('/').length <= MOST.segments;
    if (isWanted && !isShort) leftOut.push({ what: `a ${request.method}`, why: `its address has more than ${MOST.address} characters or ${MOST.segments} parts` });
    return isWanted && isShort;
  });
  const redactor = createRedactor();
  const groups = groupsOf(found.kind, ofHost.map((request) => prepared(request, redactor)));
  const mixed: MixedRequest[] = [];
  let characters = 0;
  for (const group of groups) {
    const one = mixedRequest(group, found.kind);
    const why = mixed.length >= MOST.requests ? `more than ${MOST.requests} kinds of request` : whyNot(group, one, characters);
    if (why === null) {
      mixed.push(one);
      characters += JSON.stringify(one.request).length;
    } else for (const _ of group) leftOut.push({ what: String(one.request.name ?? one.request.path), why });
  }
  return {
    kind: found.kind,
    requests: withNamesOfTheirOwn(withWeights(mixed, found.kind)),
    leftOut,
    total: found.requests.length,
    lengthMs: lengthOf(ofHost),
    pausesMs: found.pausesMs,
    secrets: new Map([...redactor.variables].map(([name, values]) => [name, values.size])),
  };
}

function mostFrequentHost(requests: readonly FoundRequest[]): string | undefined {
  return byFrequency(requests.flatMap(({ host }) => host ?? []))[0];
}

function lengthOf(requests: readonly FoundRequest[]): number | null {
  const times = requests.flatMap(({ atMs }) => atMs ?? []);
  if (times.length < 2) return null;
  return times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b));
}

/** A request whose texts are templates without secrets. */
interface Prepared {
  readonly from: FoundRequest;
  readonly segments: readonly string[];
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: FoundRequest['body'];
}

function prepared(from: FoundRequest, redactor: ReturnType<typeof createRedactor>): Prepared {
  const isTemplate = from.isTemplate === true;
  const text = (key: string, raw: string): string => redactor.text(key, raw, isTemplate);
  const { segments, query } = partsOf(from.path);
  const headers = Object.entries(from.headers).filter(([name, value]) => isKeptHeader(name, value));
  const { body } = from;
  return {
    from,
    // What stands behind /reset/ or /token/ is one.
    segments: segments.map((segment, index) => text(keyOfSegment(segments[index - 1]), segment)),
    query: query.map(([name, value]) => [name, text(name, value)] as const),
    headers: {
      ...(body?.kind === 'form' && { 'content-type': FORM }),
      ...Object.fromEntries(headers.map(([name, value]) => [name, templateOfHeader(name, text(name, value))])),
    },
    body:
      body?.kind === 'json'
        ? { kind: 'json', value: redactor.value(body.value, isTemplate) }
        : body?.kind === 'form'
          ? { kind: 'form', fields: body.fields.map(([name, value]) => [name, text(name, value)] as const) }
          : body && { kind: 'text', text: text('', body.text) },
  };
}

/** Requests that one can stand for, the largest group first where they were seen. */
function groupsOf(kind: Found['kind'], requests: readonly Prepared[]): (readonly Routed[])[] {
  const paths = requests.map(({ segments }) => segments);
  // What is described has placeholders already.
  const routes = kind === 'seen' ? routesOf(paths) : paths;
  const groups = new Map<string, Routed[]>();
  for (const [index, request] of requests.entries()) {
    const route = routes[index] ?? [];
    const { method } = request.from;
    const names = request.query.map(([name]) => name);
    const values = kind === 'seen' ? [] : [request.query, request.headers, request.body];
    const key = JSON.stringify([method, route, names, request.headers['content-type'], bodyShape(request), values]);
    const group = groups.get(key) ?? [];
    group.push({ ...request, route });
    groups.set(key, group);
  }
  const all = [...groups.values()];
  return kind === 'seen' ? all.sort((a, b) => b.length - a.length) : all;
}

interface Routed extends Prepared {
  readonly route: readonly string[];
}

function bodyShape({ body }: Prepared): string {
  if (body?.kind === 'json') return shapeOf(body.value);
  return body?.kind === 'form' ? body.fields.map(([name]) => name).join('&') : (body?.kind ?? '');
}

/** Why a scenario cannot have it; null where it can. */
function whyNot([first]: readonly Routed[], { request, statuses }: MixedRequest, characters: number): string | null {
  const length = JSON.stringify(request).length;
  if (JSON.stringify(request.body ?? '').length > MOST.body) return `its body is longer than ${MOST.body} characters`;
  if (depthOf(request.body) > MOST.depth) return `its body is nested more than ${MOST.depth} levels`;
  if (characters + length > MOST.characters) return 'the scenario would be too large';
  if (statuses.length > 0 && statuses.every((status) => status >= 500)) return 'it was only answered with 5xx';
  const isRead = first?.from.method === 'GET' || first?.from.method === 'HEAD';
  return isRead && first?.body !== undefined ? `a ${first?.from.method} with a body` : null;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((most, one) => Math.max(most, depthOf(one)), 0);
}

function mixedRequest(group: readonly Routed[], kind: Found['kind']): MixedRequest {
  const [first] = group;
  if (first === undefined) throw new RangeError('mixedRequest: no requests');
  const { method, name } = first.from;
  const shortened: Shortened[] = [];
  const wordsAt = (place: string, values: readonly string[]): string => {
    const different = byFrequency(values);
    const kept = wordsKept(different.length);
    if (kept < different.length) shortened.push({ place, kept, seen: different.length });
    return oneOfWords(different);
  };
  const segments = first.segments.map((_, at) => wordsAt(`/${first.route.slice(0, at + 1).join('/')}`, group.map((one) => one.segments[at] ?? '')));
  const query = first.query.map(([key], at) => `${key}=${wordsAt(`?${key}`, group.map((one) => one.query[at]?.[1] ?? ''))}`);
  const path = `/${segments.join('/')}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const statuses = byFrequency(group.flatMap(({ from }) => from.status ?? []).map(String)).map(Number);
  const body = bodyOfGroup(group);
  const headers = Object.fromEntries(Object.entries(headersOfGroup(group)).filter(([key]) => !isOwn(key, body)));
  const expect = expected(statuses, method, segments);
  return {
    request: {
      name: name ?? routeName(first, segments),
      ...(method !== 'GET' && { method }),
      path,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(body !== undefined && { body: body.value }),
      ...(expect !== null && { expect }),
    },
    count: kind === 'seen' ? group.length : 1,
    statuses,
    shortened,
  };
}

/** `GET /items/:id?limit` */
function routeName({ from, route, query }: Routed, segments: readonly string[]): string {
  const path = segments.map((segment, at) => (segment.includes('${') ? VARIES : (route[at] === VARIES ? segment : (route[at] ?? ''))));
  const names = query.map(([key]) => key);
  return `${from.method} /${path.join('/')}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}

/** JSON has this type by itself. */
function isOwn(header: string, body: { readonly isJson: boolean } | undefined): boolean {
  return header === 'content-type' && (body === undefined || body.isJson);
}

function headersOfGroup(group: readonly Routed[]): Readonly<Record<string, string>> {
  const names = Object.keys(group[0]?.headers ?? {});
  return Object.fromEntries(names.map((name) => [name, byFrequency(group.flatMap(({ headers }) => headers[name] ?? []))[0] ?? '']));
}

function bodyOfGroup(group: readonly Routed[]): { readonly value: unknown; readonly isJson: boolean } | undefined {
  const [first] = group;
  const creates = first?.from.method === 'POST';
  const isMade = first?.from.isTemplate === true;
  const bodies = group.flatMap(({ body }) => body ?? []);
  const [body] = bodies;
  if (body === undefined) return undefined;
  if (body.kind === 'text') return { value: body.text, isJson: false };
  if (body.kind === 'json') {
    const values = bodies.flatMap((one) => (one.kind === 'json' ? [one.value] : []));
    return { value: isMade ? body.value : mergedValue(values, creates), isJson: true };
  }
  const fields = body.fields.map(([name, value], at) => {
    const values = bodies.flatMap((one) => (one.kind === 'form' ? [one.fields[at]?.[1] ?? ''] : []));
    return [name, isMade ? value : mergedText(values, { key: name, isOwnId: false, creates })] as const;
  });
  return { value: fields.map(([name, value]) => `${encodeURIComponent(name)}=${formEncoded(value)}`).join('&'), isJson: false };
}

/** Placeholders stay as they are. */
function formEncoded(template: string): string {
  return template
    .split(/(\$?\$\{[^}]*\})/)
    .map((part, at) => (at % 2 === 1 && !part.startsWith('$$') ? part : encodeURIComponent(part.replaceAll('$${', () => '${'))))
    .join('');
}

/** What is no failure, where that is not any 2xx; null where it is. */
function expected(statuses: readonly number[], method: string, segments: readonly string[]): number[] | null {
  // No cache of a browser is asked: what was not modified is sent.
  const seen = statuses.map((status) => (status === 304 ? 200 : status)).filter((status) => status < 500);
  // What is deleted once is not there the second time.
  const gone = method === 'DELETE' && segments.some((segment) => segment.includes('${pick')) ? [404] : [];
  const all = [...new Set([...seen, ...gone])].sort((a, b) => a - b);
  return seen.length === 0 || all.every((status) => status >= 200 && status < 300) ? null : all;
}

function withWeights(mixed: readonly MixedRequest[], kind: Found['kind']): MixedRequest[] {
  if (kind === 'described') return [...mixed];
  const most = mixed.reduce((a, { count }) => Math.max(a, count), 1);
  const scale = Math.min(1, MOST_WEIGHT / most);
  return mixed.map((one) => ({ ...one, request: { ...one.request, weight: scale === 1 ? one.count : Math.max(1, Math.round(one.count * scale)) } }));
}

/** Two kinds of body at one address are two requests. */
function withNamesOfTheirOwn(mixed: readonly MixedRequest[]): MixedRequest[] {
  const times = new Map<unknown, number>();
  return mixed.map((one) => {
    const { name } = one.request;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? one : { ...one, request: { ...one.request, name: `${name} (${time})` } };
  });
}
