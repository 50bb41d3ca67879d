import type { BodyCheck } from '../requests/body-check.ts';
import type { GeneratedRequest } from '../requests/generated-request.ts';
import type { ScriptAnswer } from './captures.ts';

/** A script, ready to be gone through by any number of users. */
export interface Script {
  /** The names of its steps. */
  readonly names: readonly string[];
  readonly expected: readonly (readonly number[] | undefined)[];
  readonly checks?: readonly (BodyCheck | undefined)[];
  /** The headers of answers that it looks at, in lower case. */
  readonly looksAt: readonly string[];
  /** The session of a user, who has a number from 0. `underWay`: it is met in a pause, and not at the first step. */
  openSession(user: number, options?: { readonly underWay?: boolean }): ScriptSession;
}

/**
 * A user on the way through a script, over and over, without sockets and clocks: what is sent next, and how long a pause
 * is. It keeps its own cookies, and what it has captured.
 *
 * A step that fails and would have captured something ends the way through the script, since what follows needs it: the
 * user then begins again. So does a step that is done only once, which is sent again until it succeeds.
 */
export interface ScriptSession {
  /** The pause before the next step that counts, in milliseconds: what is left of the pause of the script that the user is met in. */
  readonly startMs: number;
  /** Steps that come before that pause are not sent yet: they are sent without pauses, and do not count. */
  readonly isBehind: boolean;
  next(): GeneratedRequest;
  /** Takes the answer to the last request. Returns what it lacks, in a sentence; null where it has what the script needs. */
  answered(answer: ScriptAnswer, isExpected: boolean): string | null;
  /** The last request got no answer. */
  failed(): void;
  /** True if the body of the answer is needed. */
  wantsBody(): boolean;
  /** Draws the pause after the last request, in milliseconds. */
  thinkMs(): number;
}
