import type { Reaper } from '../../base/process/reaper.ts';
import type { LinkReading } from '../../journal/link/link-record.ts';
import type { Variant } from '../../journal/scenario-record.ts';

/** What stands between a service and its database: the bench's own connections never go through it. */
export interface OpenedLink {
  /** The database, as the service is given it. */
  readonly url: string;
  /** The pids of the processes that stand between; empty where none does. */
  readonly pids: readonly number[];
  /** What pools the connections, where something does. */
  readonly pooler?: RunningPooler;
  /** Settles, with what it was and how, when something that stands between ends; absent where nobody watches it. */
  readonly exited?: Promise<string>;
  /** Looks whether it is as the variant asks. Takes up to a second, while nothing else goes on. */
  verify(): Promise<LinkReading>;
  /** Ends it, also after a failure; the service has ended before. */
  close(): Promise<void>;
}

/** A PgBouncer at work. */
export interface RunningPooler {
  readonly pid: number;
  /** The rows of SHOW STATS and the like on its console. Rejects with pg's own errors. */
  show(what: 'STATS' | 'POOLS' | 'CONFIG'): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface LinkOptions {
  readonly variant: Variant;
  /** The arm's own database. */
  readonly databaseUrl: string;
  /** A process in the network namespace of its server; undefined where that is this machine's. */
  readonly networkPid?: number | undefined;
  readonly reaper: Reaper;
  readonly signal: AbortSignal;
}

/** The run knows only this, so that a fake can stand in. Throws PgsweepError `stack`. */
export type OpenLink = (options: LinkOptions) => Promise<OpenedLink>;

/** One thing that may stand between. `databaseUrl` is what is behind it, seen from the service. */
export interface LinkKind {
  isWanted(options: Pick<LinkOptions, 'variant' | 'networkPid'>): boolean;
  readonly open: OpenLink;
}
