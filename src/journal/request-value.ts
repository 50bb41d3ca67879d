/** A value in a request: text with placeholders, or JSON whose strings may hold placeholders. */
export type RequestValue =
  | string
  | number
  | boolean
  | null
  | readonly RequestValue[]
  | { readonly [key: string]: RequestValue };

/** What is sent with a request; its texts may hold placeholders. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestValue;
}

/** What the body of an answer has to hold: a request that gets another has failed, whatever its status. */
export interface BodySpec {
  /** By path, such as `$.data.id`: `present`, `absent`, or the value that stands there. */
  readonly json?: Readonly<Record<string, RequestValue>>;
  /** A part of its text. */
  readonly text?: string;
}

/** A request as a scenario tells it. */
export interface SentRequest extends PlainRequest {
  readonly name: string;
  /** The statuses that are no failure; any 2xx where left out. */
  readonly expect?: readonly number[];
  readonly expectBody?: BodySpec;
}
