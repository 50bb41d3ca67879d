import type { PlainRequest, RequestValue } from './request-value.ts';

/** A switch: settings, indexes and SQL first, then new sessions where those need them, then requests, then what is checked. */
export interface LiveSwitch {
  readonly settings: readonly LiveSetting[];
  readonly indexes: readonly LiveIndex[];
  readonly sql: readonly string[];
  /** True where the service's database sessions are closed, so that none is from before the switch. */
  readonly reconnect: boolean;
  readonly requests: readonly LiveRequest[];
  readonly checks: readonly LiveCheck[];
}

export interface LiveSetting {
  readonly name: string;
  /** Null: as it is where no variant sets it. */
  readonly value: string | null;
  /** Set for the database, whose next sessions have it, or for the server, which reads it when it reloads its configuration. */
  readonly place: 'database' | 'server';
}

export interface LiveIndex {
  readonly name: string;
  readonly hidden: boolean;
}

/** A request to the service, which has to be answered with 2xx. */
export type LiveRequest = PlainRequest;

/** A value that must be seen after a switch: in the answer to GET `path`, or in the first column of the first row. */
export type LiveCheck =
  | { readonly kind: 'request'; readonly path: string; readonly expect: RequestValue }
  | { readonly kind: 'sql'; readonly sql: string; readonly expect: RequestValue };

/** True where a switch is checked by more than 2xx answers to its requests. */
export function isSeen({ requests, checks }: LiveSwitch): boolean {
  return requests.length === 0 || checks.some(({ kind }) => kind === 'request');
}
