import { NumberText, withNumberPlaceholders } from '../../base/exact-json.ts';
import { encodedTemplate, escaped, isPlainJson, type MixKind, withEncodedSecrets } from './found.ts';
import type { Prepared } from './prepared.ts';
import { VARIES } from './routes.ts';
import { byFrequency, mergedText, mergedValue, oneOfWords, wordsKept } from './varying.ts';

/** One request of a scenario, which stands for many that were found. */
export interface MixedRequest {
  /** As it stands in `load.requests`. */
  readonly request: Readonly<Record<string, unknown>>;
  /** How many of the requests that were found it stands for. */
  readonly count: number;
  /** The statuses that were seen, the most frequent first. */
  readonly statuses: readonly number[];
  /** The mean pause after it, in milliseconds; null where there was none after any. */
  readonly pauseMs: number | null;
  /** Places where it has fewer words than were seen. */
  readonly shortened: readonly Shortened[];
}

export interface Shortened {
  readonly place: string;
  readonly kept: number;
  readonly seen: number;
}

/** A request with the route that it belongs to. */
export interface Routed extends Prepared {
  readonly route: readonly string[];
}

/** One request for all of a group, which differ in nothing but values. */
export function mixedRequest(group: readonly Routed[], kind: MixKind): MixedRequest {
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
  const segments = first.segments.map((_, at) =>
    wordsAt(
      `/${first.route.slice(0, at + 1).join('/')}`,
      group.map((one) => one.segments[at] ?? ''),
    ),
  );
  const query = first.query.map(
    ([key], at) =>
      `${key}=${wordsAt(
        `?${key}`,
        group.map((one) => one.query[at]?.[1] ?? ''),
      )}`,
  );
  const { place = '', capture } = first.from;
  // What is captured may be all of the path.
  const start = segments.length === 0 ? place : `${place}/${segments.join('/')}`;
  const path = withEncodedSecrets(`${start}${query.length === 0 ? '' : `?${query.join('&')}`}`);
  const statuses = byFrequency(group.flatMap(({ from }) => from.status ?? []).map(String)).map(Number);
  const body = bodyOfGroup(group);
  if (body !== undefined && body.texts > 1) shortened.push({ place: 'body', kept: 1, seen: body.texts });
  const names = Object.entries(first.headers).flatMap(([header, value]) => (isOwn(header, value, body) ? [] : header));
  const headers = Object.fromEntries([
    // A scenario takes a text for one without a type.
    ...(body?.isJsonText ? [['content-type', 'application/json'] as const] : []),
    ...names.map((header) => {
      const values = group.flatMap((one) => one.headers[header] ?? []);
      return [header, wordsAt(`header ${header}`, values)] as const;
    }),
  ]);
  const expect = kind === 'session' ? recorded(first) : expected(statuses, method, segments);
  return {
    request: {
      name: name ?? routeName(first, segments),
      ...(method !== 'GET' && { method }),
      path,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(body !== undefined && { body: body.value }),
      ...(expect !== null && { expect }),
      ...(capture !== undefined && { capture }),
    },
    count: kind === 'seen' ? group.length : 1,
    statuses,
    pauseMs: meanPauseOf(group),
    shortened,
  };
}

function meanPauseOf(group: readonly Routed[]): number | null {
  const totalMs = group.reduce((sum, { from }) => sum + (from.pauseMs ?? 0), 0);
  return totalMs === 0 ? null : totalMs / group.length;
}

/** `GET /items/:id?limit` */
function routeName({ from, route, query }: Routed, segments: readonly string[]): string {
  const path = segments.map((segment, at) =>
    segment.includes('${') ? VARIES : route[at] === VARIES ? segment : (route[at] ?? ''),
  );
  const names = query.map(([key]) => key.replace(/\$\{[^}]*\}/g, VARIES));
  return `${from.method} /${path.join('/')}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}

/** True for a type that the body has by itself, and for that of no body. */
function isOwn(header: string, value: string, body: MixedBody | undefined): boolean {
  return header === 'content-type' && (body === undefined || (body.isJson && isPlainJson(value)));
}

interface MixedBody {
  readonly value: unknown;
  readonly isJson: boolean;
  /** It is the text of JSON. */
  readonly isJsonText?: boolean;
  /** How many different texts it stands for that have nothing in common. */
  readonly texts: number;
}

/** Keys are texts that hold no placeholder. */
function withPlainKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainKeys);
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [escaped(key), withPlainKeys(item)]));
}

/** A body of JSON. In a scenario a text is the whole body, so one of JSON is written with its quotes. */
function jsonBodyOf(value: unknown): MixedBody {
  const plain = value instanceof NumberText ? withNumberPlaceholders(value) : value;
  if (typeof plain !== 'string') return { value: withPlainKeys(plain), isJson: true, texts: 1 };
  const isNumber = /^\$\{(unique|integer|number)\b[^}]*\}$/.test(plain);
  return { value: isNumber ? plain : JSON.stringify(plain), isJson: false, isJsonText: true, texts: 1 };
}

function bodyOfGroup(group: readonly Routed[]): MixedBody | undefined {
  const [first] = group;
  const creates = first?.from.method === 'POST';
  const isMade = first?.from.isTemplate === true;
  const bodies = group.flatMap(({ body }) => body ?? []);
  const [body] = bodies;
  if (body === undefined) return undefined;
  if (body.kind === 'text') {
    const texts = byFrequency(bodies.flatMap((one) => (one.kind === 'text' ? [one.text] : [])));
    return { value: texts[0], isJson: false, texts: texts.length };
  }
  if (body.kind === 'json') {
    const values = bodies.flatMap((one) => (one.kind === 'json' ? [one.value] : []));
    return jsonBodyOf(isMade ? body.value : mergedValue(values, creates));
  }
  const fields = body.fields.map(([name, value], at) => {
    const values = bodies.flatMap((one) => (one.kind === 'form' ? [one.fields[at]?.[1] ?? ''] : []));
    return [name, isMade ? value : mergedText(values, { key: name, isOwnId: false, creates })] as const;
  });
  return {
    value: fields.map(([name, value]) => `${encodeURIComponent(name)}=${encodedTemplate(value)}`).join('&'),
    isJson: false,
    texts: 1,
  };
}

/** A step is to be answered as it was; what was not modified is, where the user asks with what the answer before it gave. */
function recorded({ from, headers }: Routed): number[] | null {
  const asks = Object.entries(headers).some(([name, value]) => /^if-/.test(name) && value.startsWith('${captured '));
  const status = from.status === 304 && !asks ? 200 : from.status;
  return status === undefined || status === 200 ? null : [status];
}

/** Statuses that are no failure, if not any 2xx; else null. */
function expected(statuses: readonly number[], method: string, segments: readonly string[]): number[] | null {
  // No cache of a browser is asked: what was not modified is sent.
  const seen = statuses.map((status) => (status === 304 ? 200 : status)).filter((status) => status < 500);
  // What is deleted once is not there the second time.
  const gone = method === 'DELETE' && segments.some((segment) => segment.includes('${pick')) ? [404] : [];
  const all = [...new Set([...seen, ...gone])].sort((a, b) => a - b);
  return seen.length === 0 || all.every((status) => status >= 200 && status < 300) ? null : all;
}
