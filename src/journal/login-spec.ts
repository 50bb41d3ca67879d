/** A value in a request: text with placeholders, or JSON whose strings may hold placeholders. */
export type RequestValue =
  | string
  | number
  | boolean
  | null
  | readonly RequestValue[]
  | { readonly [key: string]: RequestValue };

/** A request that is sent once to each arm before its load, for the token that its requests need. */
export interface LoginSpec {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestValue;
  /** Where the answer has the token: a path into its JSON, or the name of a cookie. */
  readonly from: { readonly kind: 'json' | 'cookie'; readonly name: string };
}
