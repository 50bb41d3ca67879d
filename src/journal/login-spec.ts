import type { PlainRequest } from './request-value.ts';

/** A request that is sent once to each arm before its load, for the token that its requests need. */
export interface LoginSpec extends PlainRequest {
  /** Where the answer has the token: a path into its JSON, or the name of a cookie. */
  readonly from: { readonly kind: 'json' | 'cookie'; readonly name: string };
}

export interface WithLogin {
  /** Absent where the scenario says nothing. */
  readonly login?: LoginSpec;
}
