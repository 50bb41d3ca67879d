import { plainRequest, requestValue } from './request-value.ts';
import { byKind, fields, flag, list, oneOf, orNull, text, type ValueOf } from './shape.ts';

export interface LiveSetting extends ValueOf<typeof liveSetting> {}
const liveSetting = fields({
  name: text,
  /** Null: as it is where no variant sets it. */
  value: orNull(text),
  /** Set for the database, whose next sessions have it, or for the server, which reads it when it reloads its configuration. */
  place: oneOf('database', 'server'),
});

/** A value that must be seen after a switch: in the answer to GET `path`, or in the first column of the first row. */
export type LiveCheck = ValueOf<typeof liveCheck>;
const liveCheck = byKind({
  request: fields({ kind: oneOf('request'), path: text, expect: requestValue }),
  sql: fields({ kind: oneOf('sql'), sql: text, expect: requestValue }),
});

/** A switch: settings, indexes and SQL first, then new sessions where those need them, then requests, then what is checked. */
export interface LiveSwitch extends ValueOf<typeof liveSwitch> {}
export const liveSwitch = fields({
  settings: list(liveSetting),
  indexes: list(fields({ name: text, hidden: flag })),
  sql: list(text),
  /** True where the service's database sessions are closed, so that none is from before the switch. */
  reconnect: flag,
  /** Requests to the service, which have to be answered with 2xx. */
  requests: list(plainRequest),
  checks: list(liveCheck),
});

/** True where the switches to all variants are checked by more than 2xx answers to their requests. */
export function areSeen(variants: readonly { readonly live?: LiveSwitch }[]): boolean {
  return variants.every(({ live: { requests = [], checks = [] } = {} }) => {
    return requests.length === 0 || checks.some(({ kind }) => kind === 'request');
  });
}
