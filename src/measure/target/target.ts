import { type NamedProcess, processesOf } from '../../base/process/named-process.ts';
import type { Reaper } from '../../base/process/reaper.ts';
import type { Target, Variant } from '../../journal/scenario-record.ts';

export interface TargetOptions {
  readonly target: Target;
  readonly variant: Variant;
  /** The arm's own Postgres database; null where it has none. */
  readonly databaseUrl: string | null;
  /** Where the arm's documents are searched; null where the stack has no OpenSearch. */
  readonly search: { readonly url: string; readonly indexPrefix: string } | null;
  /** The arm's own name among all that run at once, the same in every round: `pgsweep_a0`. Absent where it is alone. */
  readonly armName?: string;
  /** How many arms start at once: they share the processors, so each may take as many times as long as alone. */
  readonly startingTogether?: number;
  readonly reaper: Reaper;
  /** Where the service's output goes. */
  readonly logFile: string;
  /** Looks at the service as soon as it is ready, before it is asked for a token. Rejects where it must not be used. */
  readonly whenReady?: (started: StartedTarget) => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface TargetStop {
  /** After how long it had to be killed, or null where it ended by itself. */
  readonly killedAfterMs: number | null;
  /** Which of several processes were killed, by name. */
  readonly killed?: readonly string[];
}

/** A service that answers. */
export interface StartedTarget {
  readonly url: string;
  /** The URLs of all instances, `url` first, where there are several: load is dealt to them in order. */
  readonly urls?: readonly string[];
  /** Token that `target.login` fetched; absent if the scenario has none. */
  readonly token?: string;
  /** The pid of the process that was started; null for a `url` target. */
  readonly pid: number | null;
  /** All that were started, in that order, where they are several: `pid` is then of the one that is under load. */
  readonly processes?: readonly NamedProcess[];
  /** The port of its database, as it knows it; absent where it got none. */
  readonly databasePort?: number;
  /** Settles, with how it ended, when the service ends; never for a `url` target. */
  readonly exited: Promise<string>;
  /** The last lines that the service printed, without secrets. */
  tail(): string[];
  /**
   * Ends the service by SIGTERM and waits for it; one that does not end is killed. Nothing is done to a `url` target.
   */
  stop(): Promise<TargetStop>;
}

/** Where the load of an arm goes. */
export function urlsOf({ url, urls }: Pick<StartedTarget, 'url' | 'urls'>): Pick<StartedTarget, 'url' | 'urls'> {
  return { url, ...(urls !== undefined && { urls }) };
}

/** Address of the service, with the token that it asks for. */
export function addressOf(target: StartedTarget): Pick<StartedTarget, 'url' | 'urls' | 'token'> {
  const { token } = target;
  return { ...urlsOf(target), ...(token !== undefined && { token }) };
}

/** The pids that were started for an arm, each of which stands for everything below it; none of a `url` target. */
export function pidsOf(target: Pick<StartedTarget, 'pid' | 'processes'>): readonly number[] {
  return processesOf(target).map(({ pid }) => pid);
}

export type StartTarget = (options: TargetOptions) => Promise<StartedTarget>;
