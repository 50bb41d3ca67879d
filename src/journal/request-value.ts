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

/** A request as a scenario tells it. */
export interface SentRequest extends PlainRequest {
  readonly name: string;
  /** The statuses that are no failure; any 2xx where left out. */
  readonly expect?: readonly number[];
}
