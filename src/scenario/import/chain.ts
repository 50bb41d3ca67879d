import { NumberText } from '../../base/exact-json.ts';
import { decoded } from '../../journal/run/secret-leaves.ts';
import { escaped, type FoundBody, type FoundRequest } from './found.ts';
import { labelOf, partsOf, shownPart } from './routes.ts';
import { isIdentifier } from './varying.ts';

/** Keys of ids and tokens that an answer gives and later requests send back. */
const REFERENCE = /(id|uuid|guid|token|key|code|slug|ref|number|nonce|csrf|xsrf|cursor)$/i;
/** Shorter values are the same by chance. */
const LEAST_CHARACTERS = 8;
/** As much of an answer is looked at. */
const MOST = { depth: 8, items: 50, leaves: 5000 };
/** Headers of answers by which a browser asks whether what it has is still good, and those that it asks with. */
const validators = { etag: ['if-none-match', 'if-match'], 'last-modified': ['if-modified-since'] } as const;
/** A scheme before a value: `Bearer eyJ...`. */
const SCHEME = /^(Bearer|Token)\s+(?=\S)/i;

/** A value of an answer, and how a step of a script captures it. */
interface Source {
  /** The place of its request. */
  readonly request: number;
  readonly name: string;
  /** `json $.id` */
  readonly spec: string;
  readonly isValidator: boolean;
}

type Captures = Map<string, string>;

/** Requests in their order, with what each takes from answers before it. */
export interface Chain {
  /** With placeholders for what was captured: all are templates. */
  readonly requests: readonly FoundRequest[];
  /** True if some request needs a cookie or a value of an answer before it. */
  readonly isChained: boolean;
}

/**
 * Finds out which values of requests earlier answers gave: addresses in `Location`, ids and tokens in JSON, validators of a
 * browser's cache. What a request had sent before an answer told of it was the browser's own. Cookies that an answer set are
 * left to the user's own.
 */
export function chainOf(requests: readonly FoundRequest[]): Chain {
  const known = new Known();
  const captures: Captures[] = requests.map(() => new Map());
  const cookies = new Set<string>();
  let isChained = false;
  const chained = requests.map((request, index) => {
    const capture = (source: Source): string => {
      // Without what its cache asks with, a browser is answered, too.
      isChained ||= !source.isValidator;
      return known.placeholderOf(source, captures);
    };
    const linked = linkedRequest(request, known, capture);
    const { headers, hasOwn } = withoutCookies(linked.headers, cookies);
    isChained ||= hasOwn;
    known.sent(request);
    known.answered(request, index);
    for (const [name, value] of request.answer?.headers ?? [])
      if (name === 'set-cookie') cookies.add(nameOfCookie(value));
    return { ...linked, headers };
  });
  return {
    requests: chained.map((request, index) => {
      const capture = captures[index];
      return capture === undefined || capture.size === 0
        ? request
        : { ...request, capture: Object.fromEntries(capture) };
    }),
    isChained,
  };
}

/** Without the cookies that an answer has set. Those that the browser had before stay. */
function withoutCookies(
  headers: FoundRequest['headers'],
  cookies: ReadonlySet<string>,
): { headers: FoundRequest['headers']; hasOwn: boolean } {
  const { cookie, ...others } = headers;
  const pairs = cookie?.split(';') ?? [];
  const left = pairs.filter((pair) => !cookies.has(nameOfCookie(pair)));
  if (cookie === undefined || left.length === pairs.length) return { headers, hasOwn: false };
  return { headers: left.length === 0 ? others : { ...others, cookie: left.join(';').trim() }, hasOwn: true };
}

function nameOfCookie(pair: string): string {
  return pair.split('=', 1)[0]?.trim() ?? '';
}

/** Values of the answers so far. */
class Known {
  private readonly places = new Map<string, Source>();
  private readonly values = new Map<string, Source>();
  private readonly validators = new Map<string, Source>();
  private readonly own = new Set<string>();
  private readonly names = new Set<string>();

  place(path: string): { readonly source: Source; readonly rest: string } | null {
    const fitting = [...this.places.keys()].filter(
      (place) => path === place || path.startsWith(`${place}/`) || path.startsWith(`${place}?`),
    );
    const longest = fitting.sort((a, b) => b.length - a.length)[0];
    const source = longest === undefined ? undefined : this.places.get(longest);
    return longest === undefined || source === undefined ? null : { source, rest: path.slice(longest.length) };
  }

  value(value: string): Source | undefined {
    return this.values.get(value);
  }

  validator(path: string, value: string): Source | undefined {
    return this.validators.get(`${path} ${value}`);
  }

  /** Remembers what a request sent. */
  sent(request: FoundRequest): void {
    this.own.add(request.path);
    const { segments, query } = partsOf(request.path);
    for (const value of [...segments, ...query.map(([, one]) => one)]) this.own.add(decoded(value));
    for (const value of Object.values(request.headers)) this.own.add(value.replace(SCHEME, ''));
    for (const { value } of leavesOf(bodyValue(request.body))) this.own.add(String(value));
  }

  /** Remembers what its answer gave that nobody had sent. */
  answered({ path, answer }: FoundRequest, request: number): void {
    if (answer === undefined || answer.status >= 500) return;
    for (const [name, value] of answer.headers) {
      if (name === 'location') this.addPlace(value, request);
      if (Object.hasOwn(validators, name) && answer.status === 200)
        this.validators.set(`${path} ${value}`, {
          request,
          name: name.replaceAll('-', '_'),
          spec: `header ${name}`,
          isValidator: true,
        });
    }
    for (const { keys, value } of leavesOf(answer.json)) {
      const key = lastName(keys);
      const text = String(value);
      if (!REFERENCE.test(key) || this.own.has(text) || this.values.has(text)) continue;
      this.values.set(text, { request, name: nameFor(key), spec: `json ${pathText(keys)}`, isValidator: false });
    }
  }

  /** Has the value captured under its own name. */
  placeholderOf(source: Source, captures: readonly Captures[]): string {
    const { request, spec } = source;
    const of = captures[request];
    const there = [...(of ?? [])].find(([, text]) => text === spec)?.[0];
    const name = there ?? this.freeName(source);
    of?.set(name, spec);
    return `\${captured ${name}}`;
  }

  private freeName(source: Source): string {
    for (let at = 1; ; at++) {
      const name = at === 1 ? source.name : `${source.name}_${at}`;
      if (this.names.has(name)) continue;
      this.names.add(name);
      return name;
    }
  }

  /** An address that has an id in it, and that nobody has asked for yet. */
  private addPlace(location: string, request: number): void {
    const path = pathOf(location);
    if (path === null || this.own.has(path) || this.places.has(path)) return;
    const { segments, query } = partsOf(path);
    const isNew = segments.some(isIdentifier) || query.some(([, value]) => isTold(decoded(value)));
    if (isNew) this.places.set(path, { request, name: 'location', spec: 'header Location', isValidator: false });
  }
}

function isTold(value: string): boolean {
  return isIdentifier(value) || value.length >= LEAST_CHARACTERS;
}

type Capture = (source: Source) => string;
/** A value as a template, by the name that it stands under; null in a path. */
type Link = (key: string | null, raw: string) => string;

/** The request as a template, with what answers gave. */
function linkedRequest(request: FoundRequest, known: Known, capture: Capture): FoundRequest {
  const { path, method, headers, body } = request;
  // A short value is the same only under the name that it came by: `id` and `ownerId`.
  const linked: Link = (key, raw) => {
    const source = known.value(raw);
    if (source === undefined) return escaped(raw);
    const isSure = key === null || raw.length >= LEAST_CHARACTERS || kindOf(key) === kindOf(source.name);
    return isSure ? capture(source) : escaped(raw);
  };
  const place = known.place(path);
  const { segments, query } = partsOf(place?.rest ?? path);
  const inSegment = (raw: string): string => (isTold(raw) ? linked(null, raw) : escaped(raw));
  const pathOfSegments = segments.map((segment) => `/${inPath(segment, inSegment)}`);
  const queryText = query.map(([name, value]) => `${name}=${inPath(value, (raw) => linked(name, raw))}`).join('&');
  const names = query.map(([name]) => shownPart(name)).join('&');
  const linkedHeaders = Object.entries(headers).map(([name, value]): [string, string] => {
    const validator = isValidator(name) ? known.validator(path, value) : undefined;
    if (validator !== undefined) return [name, capture(validator)];
    const [scheme = ''] = SCHEME.exec(value) ?? [];
    return [name, `${scheme}${linked(name, value.slice(scheme.length))}`];
  });
  return {
    ...request,
    name: `${labelOf(method, path)}${names === '' ? '' : `?${names}`}`,
    path: `${pathOfSegments.join('')}${queryText === '' ? '' : `?${queryText}`}`,
    ...(place !== null && { place: capture(place.source) }),
    headers: Object.fromEntries(linkedHeaders),
    ...(body !== undefined && { body: linkedBody(body, linked) }),
    isTemplate: true,
  };
}

/** `id` of `ownerId`; null where the name is no reference. */
function kindOf(key: string): string | null {
  return REFERENCE.exec(key)?.[0].toLowerCase() ?? null;
}

/** Encoded as it was, where nothing owns it. */
function inPath(raw: string, linked: (value: string) => string): string {
  const value = decoded(raw);
  const text = linked(value);
  return text === escaped(value) ? escaped(raw) : text;
}

function isValidator(header: string): boolean {
  return Object.values(validators).some((headers) => (headers as readonly string[]).includes(header));
}

function linkedBody(body: FoundBody, linked: Link): FoundBody {
  if (body.kind === 'text') return { kind: 'text', text: escaped(body.text) };
  if (body.kind === 'form')
    return { kind: 'form', fields: body.fields.map(([name, value]) => [name, linked(name, value)] as const) };
  const of = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => of(one, key));
    if (typeof value === 'object' && value !== null && !(value instanceof NumberText))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, of(one, name)]));
    if (typeof value === 'string') return linked(key, value);
    if ((typeof value !== 'number' && !(value instanceof NumberText)) || !REFERENCE.test(key)) return value;
    const text = linked(key, String(value));
    return text === String(value) ? value : text;
  };
  return { ...body, value: of(body.value, '') };
}

interface Leaf {
  readonly keys: readonly (string | number)[];
  readonly value: string | number;
}

/** The texts and numbers of a JSON value, with where they stand. */
function leavesOf(value: unknown): Leaf[] {
  const leaves: Leaf[] = [];
  const walk = (at: unknown, keys: readonly (string | number)[]): void => {
    if (leaves.length >= MOST.leaves || keys.length > MOST.depth) return;
    if (typeof at === 'string' || typeof at === 'number') leaves.push({ keys, value: at });
    else if (at instanceof NumberText) leaves.push({ keys, value: at.text });
    else if (Array.isArray(at))
      for (const [index, one] of at.slice(0, MOST.items).entries()) walk(one, [...keys, index]);
    else if (typeof at === 'object' && at !== null)
      // What cannot stand in a path is not looked for.
      for (const [name, one] of Object.entries(at)) if (!name.includes("'")) walk(one, [...keys, name]);
  };
  walk(value, []);
  return leaves;
}

function bodyValue(body: FoundBody | undefined): unknown {
  if (body?.kind === 'json') return body.value;
  return body?.kind === 'form' ? Object.fromEntries(body.fields) : undefined;
}

function lastName(keys: Leaf['keys']): string {
  return String(keys.findLast((key) => typeof key === 'string') ?? '');
}

/** As a path into JSON is written: `$.items[0].id`. */
function pathText(keys: Leaf['keys']): string {
  const parts = keys.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `['${key}']`;
  });
  return `$${parts.join('')}`;
}

function nameFor(key: string): string {
  const name = key.replace(/[^\w-]/g, '_');
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

/** Path and query of a header Location; null where it is no address. */
function pathOf(location: string): string | null {
  if (location.startsWith('/')) return location;
  if (!URL.canParse(location)) return null;
  const { pathname, search } = new URL(location);
  return pathname + search;
}
