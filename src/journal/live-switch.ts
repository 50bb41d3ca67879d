import type { RequestValue } from './request-value.ts';

/** A switch: settings, indexes and SQL first, then new sessions where those need them, then requests, then what is checked. */
export interface LiveSwitch {
  readonly settings: readonly LiveSetting[];
  readonly indexes: readonly LiveIndex[];
  readonly sql: readonly string[];
  /** Whether the service's database sessions are closed, so that none is from before the switch. */
  readonly reconnect: boolean;
  readonly requests: readonly LiveRequest[];
  readonly checks: readonly LiveCheck[];
}

export interface LiveSetting {
  readonly name: string;
  /** Null: as it is where no variant sets it. */
  readonly value: string | null;
  /** Of the database, for its next sessions; or of the server, which reads it when its configuration is loaded again. */
  readonly place: 'database' | 'server';
}

export interface LiveIndex {
  readonly name: string;
  readonly hidden: boolean;
}

/** A request to the service, which has to be answered with 2xx. */
export interface LiveRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestValue;
}

/** What must be seen once a switch was made: in the answer to GET `path`, or in the first column of the first row. */
export type LiveCheck =
  | { readonly kind: 'request'; readonly path: string; readonly expect: RequestValue }
  | { readonly kind: 'sql'; readonly sql: string; readonly expect: RequestValue };

/** Whether more is seen of a switch than that its requests were answered with 2xx. */
export function isSeen({ requests, checks }: LiveSwitch): boolean {
  return requests.length === 0 || checks.some(({ kind }) => kind === 'request');
}
