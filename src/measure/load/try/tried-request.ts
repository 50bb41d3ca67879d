/** Outcome of the last request of a kind that was tried. */
export interface TriedRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The statuses that are no failure; null is any 2xx. */
  readonly expected: readonly number[] | null;
  /** How many were sent: one, or more where the first failed. */
  readonly sent: number;
  /** Until the whole answer was there, in ms; absent where none came. */
  readonly tookMs?: number;
  readonly outcome: TriedOutcome;
}

export type TriedOutcome =
  | {
      readonly kind: 'answer';
      readonly ok: boolean;
      readonly status: number;
      readonly body: string;
      /** Where a redirect leads, which is not followed; absent of any other answer. */
      readonly location?: string;
      /** Missing part of its body, which the scenario expects or the script needs, in a sentence. */
      readonly lacks?: string;
    }
  /** The connection failed. */
  | { readonly kind: 'error'; readonly message: string }
  /** No answer came within the limit of the request. */
  | { readonly kind: 'silence' };
