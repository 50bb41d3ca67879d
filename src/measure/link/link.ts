import type { Reaper } from '../../base/process/reaper.ts';
import type { LinkReading } from '../../journal/link/link-record.ts';
import type { Provenance } from '../../journal/records.ts';
import type { ResolvedScenario, Variant } from '../../journal/scenario-record.ts';
import type { Finding } from '../finding.ts';

/** A chain of links between a service and its database: the bench's own connections never go through it. */
export interface OpenedLink {
  /** The database, as the service is given it. */
  readonly url: string;
  /** The pids of the processes that stand between; empty where none does. */
  readonly pids: readonly number[];
  /** The pooler of the connections, if there is one. */
  readonly pooler?: RunningPooler;
  /** Settles, with what it was and how, when something that stands between ends; absent where nobody watches it. */
  readonly exited?: Promise<string>;
  /** Checks if it is as the variant asks. Takes up to a second, while nothing else runs. */
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
  readonly reaper: Reaper;
  readonly signal: AbortSignal;
}

/** The run knows only this, so that a fake can stand in. Throws PgsweepError `stack`. */
export type OpenLink = (options: LinkOptions) => Promise<OpenedLink>;

/** One thing that may stand between. `databaseUrl` is what is behind it, seen from the service. */
export interface LinkKind {
  isWanted(options: Pick<LinkOptions, 'variant'>): boolean;
  readonly open: OpenLink;
}

/** A service that is tried behind a link, and what the link sees of it. */
export interface WatchedTry {
  /** The database, for the service. */
  readonly url: string;
  /** Uses of the database that the link breaks. Throws PgsweepError `target` for what certainly fails. */
  findings(): Promise<Finding[]>;
  /** Adds to an error of the try what the link knows of it. */
  explained(error: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * A part of variants, as runs know it: what they do for it (src/journal/variant-parts.ts names the other halves). Each
 * has a folder or file beside this one, and a line in parts.ts.
 */
export interface RunPart {
  /** How much longer an arm of a variant makes a round, in ms; absent where it takes no time. */
  estimateMs?(variant: Variant): number;
  /** Variables that it gives to the processes of the service, over those of the variant; absent where it gives none. */
  env?(variant: Variant): Readonly<Record<string, string>>;
  /** Links that it opens, from the database to the service; absent where it stands between nothing. */
  readonly links?: readonly LinkKind[];
  /**
   * Looks for what a scenario needs, and returns what is recorded of it. `before` is recorded of a resumed run. Throws
   * PgsweepError `stack`.
   */
  require?(scenario: Pick<ResolvedScenario, 'variants'>, before: Provenance | undefined): Promise<Partial<Provenance>>;
  /** Examines, for the doctor, if this machine has what a scenario needs on a kind of stack. */
  examine?(scenario: ResolvedScenario, stack: string): Promise<Finding[]>;
  /** Doubts by arithmetic, before anything is started. */
  doubts?(scenario: ResolvedScenario): Finding[];
  /** Value for which a service is tried once more, if variants differ in it; undefined where the variant lacks the part. */
  triedBy?(variant: Variant): unknown;
  /** Watches a service that is tried; null where the variant lacks the part. */
  watchTry?(variant: Variant, link: OpenedLink | null): Promise<WatchedTry | null>;
  /** Measurements of a link, before the first round of each that differs and in every round; absent where there are none. */
  readonly measured?: {
    /** Value by which links differ; undefined where the variant has none to measure. */
    by(variant: Variant): unknown;
    finding(variant: Variant, reading: LinkReading): Finding[];
  };
}
