import { byName, count, fields, list, oneOf, optional, type Shape, text, type ValueOf } from './shape.ts';

/** A value in a request: text with placeholders, or JSON whose strings may hold placeholders. */
export type RequestValue =
  | string
  | number
  | boolean
  | null
  | readonly RequestValue[]
  | { readonly [key: string]: RequestValue };

/** Everything that stands in JSON is one. */
export const requestValue: Shape<RequestValue> = () => null;

const plainFields = { method: text, path: text, headers: byName(text), body: optional(requestValue) };
/** A request to a service; its texts may hold placeholders. */
export interface PlainRequest extends ValueOf<typeof plainRequest> {}
export const plainRequest = fields(plainFields);

/** Demands on the body of an answer: a request that gets another has failed, whatever its status. */
export interface BodySpec extends ValueOf<typeof bodySpec> {}
const bodySpec = fields({
  /** By path, such as `$.data.id`: `present`, `absent`, or the value that stands there. */
  json: optional(byName(requestValue)),
  /** A part of its text. */
  text: optional(text),
});

export const sentFields = {
  ...plainFields,
  name: text,
  /** The statuses that are no failure; any 2xx where left out. */
  expect: optional(list(count)),
  expectBody: optional(bodySpec),
};
/** A request as a scenario tells it. */
export interface SentRequest extends ValueOf<typeof sentRequest> {}
const sentRequest = fields(sentFields);

/** A request that is sent once to each arm before its load, for the token that its requests need. */
export interface LoginSpec extends ValueOf<typeof loginSpec> {}
export const loginSpec = fields({
  ...plainFields,
  /** Where the answer has the token: a path into its JSON, or the name of a cookie. */
  from: fields({ kind: oneOf('json', 'cookie'), name: text }),
});
