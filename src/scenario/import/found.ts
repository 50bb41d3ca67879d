import { PgsweepError } from '../../base/errors.ts';
import { exactJsonOf } from '../../base/exact-json.ts';

/** Requests found in a capture, a log or a description. */
export interface Found {
  /** `seen`: each as often as it was sent. `described`: each once, whatever its share of the load. */
  readonly kind: 'seen' | 'described';
  readonly requests: readonly FoundRequest[];
  readonly leftOut: readonly LeftOut[];
  /** Pauses of people between requests, in milliseconds. */
  readonly pausesMs: readonly number[];
}

/** Kind of a mix. A `session` is one user's way through the service, step by step. */
export type MixKind = Found['kind'] | 'session';

export interface FoundRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Host and port that it went to; absent if the source does not have them. */
  readonly host?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FoundBody;
  /** The status of its answer. */
  readonly status?: number;
  /** When it was sent, in milliseconds since 1970. */
  readonly atMs?: number;
  readonly name?: string;
  /** Pause of the user after it; absent if none is known. */
  readonly pauseMs?: number;
  /** Its answer; absent if the source does not have it. */
  readonly answer?: FoundAnswer;
  /** Expressions that capture values of its answer, by name: `json $.id`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Placeholder that stands before its path and completes it. */
  readonly place?: string;
  /** Set if its texts are templates of the scenario language already. */
  readonly isTemplate?: true;
}

/** Parts of an answer that later requests may need. */
export interface FoundAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined if it is no JSON. */
  readonly json?: unknown;
}

export type FoundBody =
  /** With its type where that is not application/json. */
  | { readonly kind: 'json'; readonly value: unknown; readonly type?: string }
  /** `application/x-www-form-urlencoded` */
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'text'; readonly text: string };

/** A request that was left out of the scenario, with the reason. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  /** `line 12`, `entry 3`; absent if it has no place. */
  readonly place?: string;
}

/** The methods that a scenario can send. */
export const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Error of a source that cannot be read, with the place. */
export function unreadable(file: string, line: number, column: number, message: string, hint?: string): PgsweepError {
  return new PgsweepError('usage', `${file}:${line}:${column}: ${message}`, { hint });
}

/** Host and path of a URL or of a path; null if it is neither, or not http. */
export function pathAndHost(url: string): Pick<FoundRequest, 'path' | 'host'> | null {
  const isPath = url.startsWith('/');
  // A URL takes a backslash for a slash.
  const text = (isPath ? `http://host${url}` : url).replaceAll('\\', '%5C');
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  // As it stands in a path, a brace would begin or end a placeholder.
  const path = `${pathname}${search}`.replaceAll('{', '%7B').replaceAll('}', '%7D');
  return isPath ? { path } : { path, host };
}

/** Body by its type; null if a scenario cannot send it. */
export function bodyOf(text: string, contentType: string): FoundBody | null {
  if (/\bjson\b/i.test(contentType) || (contentType === '' && /^\s*[[{]/.test(text))) {
    const value = exactJsonOf(text);
    return value === undefined ? { kind: 'text', text } : jsonBody(value, contentType);
  }
  if (/^application\/x-www-form-urlencoded/i.test(contentType))
    return { kind: 'form', fields: [...new URLSearchParams(text)] };
  if (/^(text\/|application\/(xml|graphql|[\w.+-]*\+xml)\b)|^$/i.test(contentType)) return { kind: 'text', text };
  return null;
}

/** A body of JSON with its type, such as `application/vnd.api+json`. A range of types is none, and neither is a placeholder. */
export function jsonBody(value: unknown, type: string): FoundBody {
  const isOther = /^[\w.-]+\/[\w.+-]+\s*(;[ -#%-~]*)?$/.test(type) && !isPlainJson(type);
  return { kind: 'json', value, ...(isOther && { type }) };
}

/** True for the type that a body of JSON has by itself. */
export function isPlainJson(type: string): boolean {
  return /^application\/json\s*(;|$)/i.test(type);
}

/** Pauses of users who think. Shorter ones are the client's own; after a longer one it is another visit. */
export const PAUSE_MS = { least: 500, most: 300_000 };

/** A pause that is too long to be one. */
export const LONG_PAUSE: LeftOut = { what: 'a pause of more than 5 min', why: 'it is taken for the end of a visit' };

/** Makes the pause after the last request longer, if there is a request. */
export function addPause(requests: FoundRequest[], pauseMs = 0): void {
  const last = requests.pop();
  if (last !== undefined) requests.push(pauseMs === 0 ? last : { ...last, pauseMs: (last.pauseMs ?? 0) + pauseMs });
}

/** Escapes a text, so that a scenario finds no placeholder in it. */
export function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** The template of an address or a form in which secrets are encoded: they may hold any character. */
export function withEncodedSecrets(template: string): string {
  return template.replace(/(?<!\$)(\$\{env \w+)\}/g, '$1 encoded}');
}

/** Encodes a template for a query or a form. Placeholders stay as they are, but for those of secrets. */
export function encodedTemplate(template: string): string {
  return template
    .split(/(\$\$\{|\$\{[^}]*\})/)
    .map((part, at) =>
      at % 2 === 1 && part !== '$${'
        ? withEncodedSecrets(part)
        : encodeURIComponent(part.replaceAll('$${', () => '${')),
    )
    .join('');
}
