import type { BodyCheck } from './requests/body-check.ts';
import type { GeneratedRequest } from './requests/generated-request.ts';
import type { Script } from './script/session.ts';

/** True if a status is as expected: one of these, or any 2xx if none are named. */
export function expectsStatus(expected: readonly number[] | null | undefined, status: number): boolean {
  return expected?.includes(status) ?? (status >= 200 && status < 300);
}

/** Makes the requests of one slice, in order. */
export interface RequestSource {
  /** Names of the kinds of request, as the report shows them. Kinds that expect different statuses may have one name. */
  readonly names: readonly string[];
  /** By name, the statuses that are no failure; any 2xx where there are none. Absent where that holds for all. */
  readonly expected?: readonly (readonly number[] | undefined)[];
  /** By name, what is expected of the body of an answer whose status is; nothing where undefined. Absent where that holds for all. */
  readonly checks?: readonly (BodyCheck | undefined)[];
  /** Set where every request is the same: it is then built once. */
  readonly fixed?: GeneratedRequest;
  /** Set where requests belong to users, each of whom has its own connection: `next` then throws. */
  readonly script?: Script;
  next(): GeneratedRequest;
}
