/** `GET /a?b=c HTTP/1.1`, as access logs have it, and nginx in $request. Some servers log a blank of a path as it came. */
export const REQUEST_LINE = /^([A-Z]+) (\S.*?)(?: HTTP\/[\d.]+)?$/;

/** A line of a log: a request with who sent it; a line about something else; or one that says a request's status later. */
export type LogLine =
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  | { readonly kind: 'status'; readonly id: string; readonly status: number }
  /** `names`: the fields that it has instead of a request, where it has fields. */
  | { readonly kind: 'other'; readonly names?: readonly string[] }
  | { readonly kind: 'unreadable' };

export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly host?: string;
  readonly status?: number;
  readonly atMs?: number;
  readonly client?: string;
  /** Id by which a later line, which has the status, refers to it. Processes count theirs apart. */
  readonly id?: string;
}

/** Statuses that proxies log for what no service answered: nginx hangs up (444), or the client did (499, 460 and 463 of AWS). */
const UNANSWERED = new Set([444, 460, 463, 499]);

/** The status that a service answered with; undefined where the text is none, and where none came. */
export function statusOf(text: string | undefined): number | undefined {
  const status = Number(text);
  return Number.isInteger(status) && status >= 100 && status <= 599 && !UNANSWERED.has(status) ? status : undefined;
}

/** `192.0.2.1` of `192.0.2.1:5000`, and the first of a list that proxies have added to. */
export function clientOf(text: string | undefined): string | undefined {
  const first = text?.split(',')[0]?.trim();
  // An address with more than one colon is IPv6, whose port stands behind a bracket.
  return first?.replace(/^([^:]+|\[.*\]):\d+$/, '$1');
}

/** Letters that Apache writes for control characters, with their bytes. */
const CONTROLS: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * A path as it came over the wire, of one in which a log has escaped bytes: `\xC3` by nginx and Apache, `\"`, `\\` and `\t`
 * by Apache.
 */
export function withoutEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9a-f]{2})|([bfnrtv"\\]))/gi, (_, hex: string | undefined, one = '') => {
    const byte = hex === undefined ? (CONTROLS[one] ?? one.charCodeAt(0)) : Number.parseInt(hex, 16);
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** `10/Oct/2000:13:55:36 -0700` in milliseconds since 1970; HAProxy has a fraction of a second, and no time zone. */
function timeOfCommon(text: string): number | undefined {
  const match = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d(?:\.\d+)?)(?: ([+-]\d\d)(\d\d))?$/.exec(text);
  const [, day, month = '', year, clock, hours, minutes] = match ?? [];
  const index = MONTHS.indexOf(month) / 3;
  if (month === '' || !Number.isInteger(index) || index < 0) return undefined;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const atMs = Date.parse(`${year}-${String(index + 1).padStart(2, '0')}-${day}T${clock}${zone}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Smaller numbers are seconds (until the year 5138), larger ones milliseconds (since 1973), microseconds or nanoseconds. */
const SECONDS_END = 100_000_000_000;

/** A time of a log in milliseconds since 1970; undefined where it is none. */
export function timeMs(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) {
    if (number < SECONDS_END) return number * 1000;
    return number < 1e15 ? number : number < 1e17 ? number / 1000 : number / 1e6;
  }
  if (typeof value !== 'string') return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? timeOfCommon(value) : atMs;
}
