import type { Header } from './answer-parser.ts';

/** Counts of all connections of one stream. */
export interface ConnectionCounts {
  /** TCP connections that came about. */
  opened: number;
  /** Those of them that took the place of one that the service had closed while it was idle, or would have soon. */
  reopened: number;
  /** Answers that said that the service closes the connection. */
  closingAnswers: number;
}

/** An answer that came whole. */
export interface Answered {
  readonly status: number;
  /** Received for it, headers included. */
  readonly bytes: number;
  readonly latencyMs: number;
  /** The part of it until the connection was open: 0 where the request did not open it. */
  readonly connectMs: number;
  /** The part of it from then to the first byte of the answer. */
  readonly waitingMs: number;
  readonly name: number;
  /** The beginning of its body, where that was wanted. */
  readonly body: string;
  /** Those of its headers that are kept, in their order. */
  readonly headers: readonly Header[];
}

/** A request that got no whole answer. */
export interface Failed {
  readonly kind: 'errors' | 'timeouts';
  readonly message: string;
  readonly name: number;
  /** Since it was sent, or was to be sent. */
  readonly waitedMs: number;
}
