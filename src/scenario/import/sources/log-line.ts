/** `GET /a?b=c HTTP/1.1`, as access logs have it, and nginx in $request. */
export const REQUEST_LINE = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/;

/** A line of a log: a request with who sent it; a line about something else; or one that says a request's status later. */
export type LogLine =
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  | { readonly kind: 'status'; readonly id: string; readonly status: number }
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' };

export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly host?: string;
  readonly status?: number;
  readonly atMs?: number;
  readonly client?: string;
  /** Id by which a later line, which has the status, refers to it. */
  readonly id?: string;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** `10/Oct/2000:13:55:36 -0700` in milliseconds since 1970. */
export function timeOfCommon(text: string): number | undefined {
  const match = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/.exec(text);
  const [, day, month = '', year, clock, hours, minutes] = match ?? [];
  const index = MONTHS.indexOf(month) / 3;
  if (month === '' || !Number.isInteger(index) || index < 0) return undefined;
  const atMs = Date.parse(`${year}-${String(index + 1).padStart(2, '0')}-${day}T${clock}${hours}:${minutes}`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
