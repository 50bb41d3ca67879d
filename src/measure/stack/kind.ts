import type { PostgresRelease, ResolvedScenario } from '../../journal/scenario-record.ts';
import type { OpenSearchOptions, StartedOpenSearch } from './common/opensearch.ts';
import type { PostgresOptions, PreparedPostgres } from './common/postgres.ts';

/** Inputs that decide which servers there are. */
export type Needs = Pick<ResolvedScenario, 'stack' | 'variants'>;

/** Servers that already run. */
export interface ServerUrls {
  readonly postgresUrl?: string | undefined;
  readonly openSearchUrl?: string | undefined;
}

/** Source of a run's servers. */
export interface StackServers {
  /** A server that is down. An external one runs already: to start it is to connect, and it has no copies. */
  preparePostgres(options: PostgresOptions): Promise<PreparedPostgres>;
  startOpenSearch(options: OpenSearchOptions): Promise<StartedOpenSearch>;
}

/** Start times of servers of a kind, in ms. */
export interface ServerCosts {
  /** From nothing to the first query, once a session. */
  readonly start: number;
  /** Once a session, for each server that starts in every round: to copy its cluster. */
  readonly copy: number;
  /** To start such a server and to stop it cleanly. */
  readonly restart: number;
  /** Without fetching the release or the image, the first time. */
  readonly openSearch: number;
}

/** Where servers can come from. `kinds.ts` lists all of them. */
export interface StackKind {
  /** True if pgsweep starts the servers: it may change any setting on them, and start more. */
  readonly own: boolean;
  /** True if they run in containers, which alone can be limited in CPU and memory. */
  readonly contained: boolean;
  /** Measured, servers side by side; a cluster with 2,000 documents (with 50,000 its copy takes 0.2 s more). */
  readonly costs: ServerCosts;
  /** The version that a server would have, `17` or `17.2`; null where the server alone can tell. */
  versionOf(release: PostgresRelease): string | null;
  /** Throws PgsweepError('stack' or 'usage') where it cannot be had. */
  open(urls: ServerUrls): Promise<StackServers>;
  /**
   * Where nobody says which: its servers, or null where it does not suit, and in both cases the reason, for people.
   * `before` is the reason of the kind that did not suit before. A kind without it is taken only where it is asked for.
   */
  offer?(needs: Needs, before: string): Promise<{ readonly servers: StackServers | null; readonly reason: string }>;
}
