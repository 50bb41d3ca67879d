import type { Reaper } from '../base/process/reaper.ts';
import type { Target, Variant } from '../journal/scenario-record.ts';

export interface TargetOptions {
  readonly target: Target;
  readonly variant: Variant;
  /** The arm's own Postgres database; null where it has none. */
  readonly databaseUrl: string | null;
  /** Where the arm's documents are searched; null where the stack has no OpenSearch. */
  readonly search: { readonly url: string; readonly indexPrefix: string } | null;
  /** The arm's own name among all that run at once, the same in every round: `pgsweep_a0`. Absent where it is alone. */
  readonly armName?: string;
  readonly reaper: Reaper;
  /** Where the service's output goes. */
  readonly logFile: string;
  readonly signal?: AbortSignal;
}

export interface TargetStop {
  /** After how long it had to be killed, or null where it ended by itself. */
  readonly killedAfterMs: number | null;
}

/** A service that answers. */
export interface StartedTarget {
  readonly url: string;
  /** What `target.login` has fetched; absent where the scenario has none. */
  readonly token?: string;
  /** The pid of the process that was started; null for a `url` target. */
  readonly pid: number | null;
  /** Settles, with how it ended, when the service ends; never for a `url` target. */
  readonly exited: Promise<string>;
  /** The last lines that the service printed. */
  tail(): string[];
  /**
   * Ends the service by SIGTERM and waits for it; one that does not end is killed. Nothing is done to a `url` target.
   */
  stop(): Promise<TargetStop>;
}

/** Where the load of an arm goes, and what it needs to be let in. */
export function addressOf({ url, token }: StartedTarget): Pick<StartedTarget, 'url' | 'token'> {
  return { url, ...(token !== undefined && { token }) };
}

export type StartTarget = (options: TargetOptions) => Promise<StartedTarget>;
