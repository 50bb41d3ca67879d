import { PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';

/** What was found in a source that tells of requests: a capture, a log, a description, a script. */
export interface Found {
  /** `seen`: each as often as it was sent. `described`: each once, whatever its share of the load. */
  readonly kind: 'seen' | 'described';
  readonly requests: readonly FoundRequest[];
  readonly leftOut: readonly LeftOut[];
  /** Pauses of people or scripts between requests, in milliseconds. */
  readonly pausesMs: readonly number[];
}

/** What a source becomes: a `session` where what was seen is one user's way through the service, step by step. */
export type MixKind = Found['kind'] | 'session';

export interface FoundRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Host and port that it went to; absent where the source does not say. */
  readonly host?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FoundBody;
  /** The status of its answer. */
  readonly status?: number;
  /** When it was sent, in milliseconds since 1970. */
  readonly atMs?: number;
  readonly name?: string;
  /** The pause of the user or the script after it; absent where none is known. */
  readonly pauseMs?: number;
  /** What it was answered with; absent where the source does not say. */
  readonly answer?: FoundAnswer;
  /** What is captured of its answer, by name: `json $.id`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** A placeholder that stands before its path, without which that is not whole. */
  readonly place?: string;
  /** Set where its texts hold placeholders of the scenario language, which stand for themselves. */
  readonly isTemplate?: true;
}

/** An answer, as far as later requests may need it. */
export interface FoundAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined where it is no JSON. */
  readonly json?: unknown;
}

export type FoundBody =
  | { readonly kind: 'json'; readonly value: unknown }
  /** `application/x-www-form-urlencoded` */
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'text'; readonly text: string };

/** What became no request of a scenario. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  /** `line 12`, `entry 3`; absent where it has no place. */
  readonly place?: string;
}

/** The methods that a scenario can send. */
export const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** The error of a source that cannot be read, at a place of it. */
export function unreadable(file: string, line: number, column: number, message: string, hint?: string): PgsweepError {
  return new PgsweepError('usage', `${file}:${line}:${column}: ${message}`, { hint });
}

/** Host and path of a URL or of a path; null where it is neither, or no http. */
export function placeOf(url: string): Pick<FoundRequest, 'path' | 'host'> | null {
  const isPath = url.startsWith('/');
  const text = isPath ? `http://host${url}` : url;
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  // As it stands in a path, a brace would begin or end a placeholder.
  const path = `${pathname}${search}`.replaceAll('{', '%7B').replaceAll('}', '%7D');
  return isPath ? { path } : { path, host };
}

/** A body by its type; null where a scenario cannot send it. */
export function bodyOf(text: string, contentType: string): FoundBody | null {
  if (/\bjson\b/i.test(contentType) || (contentType === '' && /^\s*[[{]/.test(text))) {
    const value = jsonOf(text);
    return value === undefined ? { kind: 'text', text } : { kind: 'json', value };
  }
  if (/^application\/x-www-form-urlencoded/i.test(contentType))
    return { kind: 'form', fields: [...new URLSearchParams(text)] };
  if (/^(text\/|application\/(xml|graphql|[\w.+-]*\+xml)\b)|^$/i.test(contentType)) return { kind: 'text', text };
  return null;
}

/** Makes the pause after the last of some requests longer; of none there is none. */
export function addPause(requests: FoundRequest[], pauseMs = 0): void {
  const last = requests.pop();
  if (last !== undefined) requests.push(pauseMs === 0 ? last : { ...last, pauseMs: (last.pauseMs ?? 0) + pauseMs });
}

/** As a scenario writes a text that holds no placeholder. */
export function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** A template as it stands in a query or a form: its texts are encoded, and its placeholders stay as they are. */
export function encodedTemplate(template: string): string {
  return template
    .split(/(\$?\$\{[^}]*\})/)
    .map((part, at) =>
      at % 2 === 1 && !part.startsWith('$$') ? part : encodeURIComponent(part.replaceAll('$${', () => '${')),
    )
    .join('');
}
