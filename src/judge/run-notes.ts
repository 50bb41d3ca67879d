import type { WholeSlicesReason } from '../journal/pass-records.ts';
import type { VariedHousekeeping } from '../journal/postgres/housekeeping.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';

/** Something odd about a run. */
export type RunNote =
  /** Services that did not end by SIGTERM and were killed, with how often. */
  | { readonly kind: 'killed-services'; readonly variants: Readonly<Record<string, number>> }
  /** A variant's database was not as far away as asked, at so many looks. */
  | {
      readonly kind: 'distance-off';
      readonly variant: string;
      readonly askedMs: number;
      readonly p50Ms: number;
      readonly off: number;
      readonly looks: number;
    }
  /** What stands between a variant's service and its database used so many CPUs that it may have been the limit. */
  | { readonly kind: 'link-busy'; readonly variant: string; readonly cpus: number }
  /** A warning of the journal's reader. */
  | { readonly kind: 'journal'; readonly text: string }
  /** Averages and changes include the void slices, since too few others are left. */
  | { readonly kind: 'void-included' }
  | ClosingServices
  | IdleInstances
  /** Under this load level arms had their time in whole slices and not in short turns, in so many of its passes. */
  | {
      readonly kind: 'whole-slices';
      readonly load: LoadLevel;
      readonly reason: WholeSlicesReason;
      readonly passes: number;
      readonly of: number;
    }
  /** Too many arms to take turns with each other: they did so in groups, each with control arms of its own. */
  | { readonly kind: 'groups'; readonly load: LoadLevel; readonly groups: number }
  /** The same of a session: under this load level the control is apart from all variants in these metrics, by name. */
  | {
      readonly kind: 'control-stands-apart';
      readonly load: LoadLevel;
      readonly metrics: readonly string[];
      readonly percent: number;
      readonly variants: number;
    }
  /** In so many rounds some arm was warmed for as long as there was time, by fewer requests than the others; `requests`: the fewest. */
  | {
      readonly kind: 'short-warmup';
      readonly requests: number;
      readonly wanted: number;
      readonly rounds: number;
      readonly of: number;
    }
  /** Rates that still moved under load: what was measured depends on how long it was. Variants that differ first. */
  | { readonly kind: 'unsteady-rates'; readonly trends: readonly RateTrend[] }
  | HousekeepingNote
  /** The run is a share of a plan. */
  | { readonly kind: 'shard'; readonly index: number; readonly count: number }
  /** Shards that were merged without all of their rounds; `rounds`: how many there were. */
  | {
      readonly kind: 'missing-rounds';
      readonly shards: readonly { readonly shard: number; readonly rounds: number; readonly of: number }[];
      readonly count: number;
    }
  /** In so many of the changes that are judged, machines disagree. */
  | { readonly kind: 'machines-differ'; readonly changes: number; readonly of: number; readonly machines: number }
  /** Slices of a round that was not completed. They are not judged. */
  | { readonly kind: 'unfinished-round'; readonly slices: number }
  | OwnDatabases
  /** There are no pg_stat_database columns. `text` says why. */
  | { readonly kind: 'no-database-columns'; readonly text: string }
  /** The run was resumed where something of its provenance was different. */
  | { readonly kind: 'resumed-elsewhere'; readonly changes: readonly ProvenanceChange[] };

/** Variants set what decides Postgres's own housekeeping, which is on: how long a slice must be to see it. */
interface HousekeepingNote extends VariedHousekeeping {
  readonly kind: 'housekeeping';
}

/** Variants whose service has a database of its own, or none: what Postgres would tell is missing for them. */
export interface OwnDatabases {
  readonly kind: 'own-databases';
  readonly variants: readonly string[];
  /** True where no variant has a Postgres. */
  readonly all: boolean;
  /** Those of them whose data nothing puts back between rounds. */
  readonly kept: readonly string[];
}

/** Services that close the connection after each answer, so that latency includes connecting. */
export interface ClosingServices {
  readonly kind: 'closing-services';
  readonly variants: readonly string[];
  /** True where every variant's service does. */
  readonly all: boolean;
}

/** Load levels with fewer connections or users than the most instances of a service, so that some of these have nothing to do. */
export interface IdleInstances {
  readonly kind: 'idle-instances';
  readonly loads: readonly LoadLevel[];
  readonly instances: number;
}

export interface ProvenanceChange {
  readonly name: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}

/** How a rate moves from the beginning to the end of a slice, or of an arm's life in a round. */
export interface RateTrend {
  /** Null: over a round, by the requests that an arm had answered since its start. */
  readonly load: LoadLevel | null;
  /** Null where all arms share the trend. */
  readonly variant: string | null;
  readonly percent: number;
  /** The trend of the control, where one variant's differs. */
  readonly controlPercent?: number;
  /** Of `percent`, or of the variant's against the control's: all trends of a run share an error of 5 %. */
  readonly interval: readonly [low: number, high: number];
}
