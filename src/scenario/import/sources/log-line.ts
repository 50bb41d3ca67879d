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
  /** What a later line calls it, which has its status. */
  readonly id?: string;
}
