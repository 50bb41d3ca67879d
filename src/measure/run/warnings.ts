import type { PoolerMode } from '../../journal/link/pooler.ts';
import type { LeftOut } from '../../journal/run/provenance-record.ts';
import type { ShortRounds } from '../../journal/run/short-rounds.ts';
import type { SecretsWarning } from '../../journal/secrets-record.ts';
import type { Finding } from '../finding.ts';
import type { NoOwnServers, ServerRoom } from '../plan/own-servers.ts';
import type { ScenarioWarning } from '../plan/scenario-warnings.ts';
import type { ProbeWarning } from '../probe/probe-warning.ts';
import type { CpusetWarning } from './servers/cpusets.ts';

/** A fact that may spoil a run, which continues all the same. Worded in src/cli/progress/warning-words.ts. */
export type RunWarning =
  | ProbeWarning
  | ScenarioWarning
  | SecretsWarning
  | CpusetWarning
  | ({ readonly kind: 'short-rounds' } & ShortRounds)
  /** Something that the doctor would find, too. */
  | { readonly kind: 'examined'; readonly finding: Finding }
  /** Keys of limits that nothing keeps on that stack. */
  | { readonly kind: 'limits-ignored'; readonly keys: readonly string[]; readonly stack: string }
  /** A note on the Postgres servers that were started. */
  | { readonly kind: 'postgres'; readonly note: string }
  /** Arms share a server although their copies do not fit in its shared_buffers, and why: they have whole slices. */
  | { readonly kind: 'server-is-shared'; readonly lacks: NoOwnServers; readonly room: ServerRoom }
  /** The data set asks for it and this Postgres lacks it. */
  | { readonly kind: 'left-out'; readonly leftOut: readonly LeftOut[] }
  /** Why slices have no counters of pg_stat_database. */
  | { readonly kind: 'no-database-columns'; readonly cause: string }
  /** The process that ends everything should the bench be killed. */
  | { readonly kind: 'guard-died' }
  | { readonly kind: 'clean-up-failed'; readonly cause: string }
  /** Requests timed out while all connections of the arm's service to Postgres were idle, some of them in a transaction. */
  | {
      readonly kind: 'pool-is-dry';
      readonly arm: string;
      readonly timeouts: number;
      readonly connections: number;
      readonly held: number;
      /** Set where clients wait for one of these connections, which are PgBouncer's. */
      readonly pooler?: { readonly mode: PoolerMode; readonly waiting: number };
    }
  /** A run of a job failed after the first round. */
  | { readonly kind: 'job-failed'; readonly failure: string }
  /** The first round has shown that the budget ends before there is an answer, by this much. */
  | {
      readonly kind: 'few-rounds';
      readonly rounds: number;
      readonly needed: number;
      readonly missingMs: number;
      /** Set where the question is which setting to take. */
      readonly decides?: true;
      /** Set where the run searches a space first. */
      readonly searches?: true;
    }
  /** Bulk loads into one service, one after the other. */
  | { readonly kind: 'loads-add-up' };
