import type { Script } from './script/script.ts';

/** One request, ready to be sent. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Index into the source's names. */
  readonly name: number;
}

/** Makes the requests of one slice, in order. */
export interface RequestSource {
  /** Names of the kinds of request, as the report shows them. */
  readonly names: readonly string[];
  /** By name, the statuses that are no failure; any 2xx where there are none. Absent where that holds for all. */
  readonly expected?: readonly (readonly number[] | undefined)[];
  /** Set where every request is the same: it is then built once. */
  readonly fixed?: GeneratedRequest;
  /** Set where requests belong to users, each of whom has a connection: those of `next` are then the first of a new user each. */
  readonly script?: Script;
  next(): GeneratedRequest;
}
