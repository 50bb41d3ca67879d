/**
 * The resolved scenario: what was asked, with every default filled in. It stands in the journal because both halves
 * of the bench read it, and a run must be judged again without the YAML file that it came from.
 */
import type { CapacitySpec } from './capacity/capacity-spec.ts';
import type { DistanceSpec } from './link/distance.ts';
import type { WithOwnDatabase } from './link/own-database.ts';
import type { PoolerSpec } from './link/pooler.ts';
import type { LiveSwitch } from './live-switch.ts';
import type { BoundedSpec, BuiltInWorkload, LoadLevel, OpenLoopSpec } from './load-record.ts';
import type { WithLogin } from './login-spec.ts';
import type { PoolSpec } from './pool-size.ts';
import type { SentRequest } from './request-value.ts';
import type { JudgeKey } from './run/judge-keys.ts';
import type { K6Workload, ScriptSpec } from './script-spec.ts';
import type { MetricsSpec } from './service/metrics-spec.ts';
import type { ServiceChange, ServicesTarget } from './service/services-target.ts';

export * from './load-record.ts';
export type { MetricsSpec } from './service/metrics-spec.ts';
export type { ServiceChange, ServiceSpec, ServicesTarget } from './service/services-target.ts';

export type FactorValue = string | number | boolean;

/** What can be measured in place of a cost: memory, or CPU time a request, of the service and its database. */
export const measuredCosts = ['memory_mb', 'cpu'] as const;

export type MeasuredCost = (typeof measuredCosts)[number];

/** One setting of everything that varies. */
export interface Variant extends WithOwnDatabase {
  /** `pool=25` for a grid (`pool=25, lock=none` with more factors), the name given otherwise. */
  readonly name: string;
  /** Factor values of a grid, in the order of the scenario; of a named variant those that it names, mostly none. */
  readonly factors: Readonly<Record<string, FactorValue>>;
  /** Environment of the service, over the target's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly cwd?: string;
  readonly url?: string;
  /** What is another in some of several services, by their names; absent where nothing is. */
  readonly services?: Readonly<Record<string, ServiceChange>>;
  /** So many processes of the service, each on a port of its own. Absent where the scenario says nothing. */
  readonly instances?: number;
  /** The changes to the variant's database; absent where there are none. */
  readonly treatment?: Treatment;
  /** How a running service and its database are switched to this variant; absent where it is an arm of its own. */
  readonly live?: LiveSwitch;
  /** How far its service is from the database; absent where nothing is added. */
  readonly distance?: DistanceSpec;
  /** What pools the connections between its service and the database; absent where nothing does. */
  readonly pooler?: PoolerSpec;
  /** What it costs, in any unit: the cheapest of several that are good enough is taken. Absent where the scenario says nothing. */
  readonly cost?: number;
}

/** The changes to a variant's own copy of the database, made before its service starts, in the order of the fields. */
export interface Treatment {
  /** Postgres settings: of the database where Postgres allows that, of a server of the variant's own otherwise. */
  readonly settings: Readonly<Record<string, string>>;
  readonly dropIndex: readonly string[];
  /** Statements: `CREATE INDEX ...`. */
  readonly createIndex: readonly string[];
  /** Kept up by every write, and used by no query. */
  readonly hideIndex: readonly string[];
  readonly sql: readonly TreatmentSql[];
  /** Another Postgres, on a server of the variant's own. */
  readonly postgres?: PostgresRelease;
}

export interface TreatmentSql {
  readonly apply: string;
  /** Run when the arm has ended; needed for what reaches beyond the arm's own database. */
  readonly undo?: string;
}

/** The document service that comes with the bench. */
export interface ServiceTarget {
  readonly kind: 'service';
  readonly service: 'documents';
  readonly env: Readonly<Record<string, string>>;
  /** Absent in old journals. */
  readonly pool?: PoolSpec;
  /** Absent where the scenario says nothing. */
  readonly metrics?: MetricsSpec;
}

/** A service of the user's own, started once per arm. */
export interface CommandTarget extends WithLogin {
  readonly kind: 'command';
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The path that answers 2xx once the service is ready. */
  readonly ready: string;
  readonly readyTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly portVariable: string;
  readonly databaseUrlVariable: string;
  /** Absent where the scenario says nothing, and in old journals. */
  readonly pool?: PoolSpec;
  /** Absent where the scenario says nothing. */
  readonly metrics?: MetricsSpec;
}

/** A service that somebody else started. Nothing is started, reset or sampled in the database. */
export interface UrlTarget extends WithLogin {
  readonly kind: 'url';
  readonly url: string;
  /** The path that has to answer 2xx; any answer at the url will do where absent. */
  readonly ready?: string;
  /** Absent where the scenario says nothing. */
  readonly metrics?: MetricsSpec;
}

export type Target = ServiceTarget | CommandTarget | ServicesTarget | UrlTarget;

/** The generated data sets, each in the manner of the Ed-Fi template of its name. */
export const templates = ['partial-grand-bend', 'grand-bend', 'southridge'] as const;

export type TemplateName = (typeof templates)[number];

/** How many documents a template has where the scenario does not say. */
export const defaultTemplateDocuments: Readonly<Record<TemplateName, number>> = {
  'partial-grand-bend': 2000,
  'grand-bend': 20_000,
  southridge: 100_000,
};

export interface TemplateSpec {
  readonly kind: 'template';
  readonly template: TemplateName;
  readonly documents: number;
  readonly seed: number;
}

export interface EdFiSpec {
  readonly kind: 'edfi';
  readonly folder: string;
}

/** The content of the database before load starts. File names are absolute. */
export type DatasetSpec =
  | TemplateSpec
  | EdFiSpec
  /** The tables of the document service, empty: what a bulk load starts from. */
  | { readonly kind: 'schema' }
  | { readonly kind: 'sql'; readonly files: readonly string[]; readonly singleTransaction?: true }
  /** What pg_dump has written, in any of its formats: a file, or a folder. */
  | { readonly kind: 'dump'; readonly dump: string }
  | { readonly kind: 'command'; readonly command: string; readonly cwd: string }
  | { readonly kind: 'none' };

export interface RequestSpec extends SentRequest {
  /** How often this request is sent, against the weights of the others. */
  readonly weight: number;
}

/** Where requests come from. A module's file name is absolute. */
export type WorkloadSpec =
  | { readonly kind: 'built-in'; readonly workload: BuiltInWorkload }
  | { readonly kind: 'requests'; readonly requests: readonly RequestSpec[] }
  | { readonly kind: 'module'; readonly module: string }
  | ScriptSpec
  | K6Workload;

/** A whole data set, posted document by document in dependency order. */
export interface BulkSpec {
  readonly dataset: TemplateSpec | EdFiSpec;
  readonly connections: number;
  /** Requests that wait for an answer at any time, at most. */
  readonly inFlight: number;
  /** How often a document that was not accepted is sent again. */
  readonly retries: number;
  /** The pause before the first repeat; it doubles with each, and is spread at random by up to half. */
  readonly backoffMs: number;
  /** The data set is loaded once unmeasured before, so that every measured write is an update. */
  readonly update: boolean;
}

export interface LoadSpec {
  /** The data set that `levels` with `bulk` post. */
  readonly bulk?: BulkSpec;
  /** Empty where the run looks for capacities: its levels are found round by round. */
  readonly levels: readonly LoadLevel[];
  /** Set where the question is how much load each variant bears. */
  readonly capacity?: CapacitySpec;
  readonly workload: WorkloadSpec;
  /** Set where levels are rates. */
  readonly openLoop?: OpenLoopSpec;
  /** Set where a slice ends with its last request and not with its time. */
  readonly bounded?: BoundedSpec;
  /** The time under load that an arm has at a load level in a round: the sum of its turns. */
  readonly sliceMs: number;
  /** Set where that is a bounded run of one stretch: the same as `sliceMs`. */
  readonly forMs?: number;
  /** Set where users pause: in a shorter slice few of them have done anything. */
  readonly leastSliceMs?: number;
  /** Set where slices follow the noise that the run sees: `sliceMs` is then that of its first round. Absent in old journals. */
  readonly autoSlice?: true;
  /** How much of the start of every turn is not counted, at most; the same in every arm. In old journals, of every slice. */
  readonly dropMs: number;
  /** How long the arms take turns: `auto` by the latency of the load level, `off` in whole slices. Absent in old journals. */
  readonly turn?: 'auto' | 'off' | number;
  /** How long a fresh process is warmed, in turns with the others; with `warmupRequests` the most that may take. */
  readonly warmupMs: number;
  /** How many requests warm a process in the first round, of all arms that share it together. Absent where the scenario names a time, and in old journals. */
  readonly warmupRequests?: number;
  /** The uncounted load at the start of each turn, for arms that are switched live. */
  readonly settleMs?: number;
  /** Only in old journals. */
  readonly slicesPerRound?: number;
  /** Among how many processes of the load generator the connections are dealt. Absent where it is one. */
  readonly processes?: number;
  /** The first number of `${unique}`. Absent where the scenario does not say: FIRST_UNIQUE. */
  readonly uniqueFrom?: number;
  readonly timeoutMs: number;
  /** A slice in which more requests fail is void. Absent in old journals. */
  readonly maxFailedPercent?: number;
  /** Transactions that each answered request commits; absent where nobody said. */
  readonly transactionsPerRequest?: number;
}

export interface RoundsSpec {
  readonly min: number;
  readonly max: number;
  readonly budgetMs: number;
  /** `server`: Postgres too is started fresh in every round, not only the service. */
  readonly restart?: 'service' | 'server';
}

/** Limits of a server's container; the whole machine where left out. */
export interface ServerLimits {
  /** CPU time, in CPUs: 1.5. */
  readonly cpus?: number;
  /** Which CPUs: `0,2` or `0-3`. */
  readonly cpuset?: string;
  /** As Docker reads it: `512m`, `2g`. */
  readonly memory?: string;
}

/** Which Postgres. Servers that differ in any of this have a data folder each, loaded apart. */
export interface PostgresRelease {
  /** `17` or `17.2`. */
  readonly version?: string;
  /** The container's image. */
  readonly image?: string;
  /** Another kind of stack for this server. */
  readonly stack?: 'docker' | 'embedded';
}

export interface PostgresSpec extends PostgresRelease, ServerLimits {
  readonly settings: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Set where Postgres does its own housekeeping by its defaults. Absent: no autovacuum, and next to no checkpoint. */
  readonly housekeeping?: true;
}

export interface OpenSearchSpec extends ServerLimits {
  readonly version?: string;
  readonly image?: string;
  readonly heapMb?: number;
}

export interface ResolvedScenario {
  /** The file's name without folder and ending; names the run folder. */
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly target: Target;
  readonly dataset: DatasetSpec;
  /** In the order of the scenario. The control is one of them. */
  readonly variants: readonly Variant[];
  /** The name of the control variant. */
  readonly control: string;
  readonly load: LoadSpec;
  readonly rounds: RoundsSpec;
  /** Set where the question is which setting to take: the run ends when that is decided. Absent where it is what each change does. */
  readonly question?: 'best';
  /** What is measured to tell which setting is the cheapest. Absent where variants have costs, or their order tells. */
  readonly cost?: MeasuredCost;
  /** Differences within +-margin count as the same. */
  readonly marginPercent: number;
  /** The metric that the run is about. Absent where the kind of load says. */
  readonly judge?: JudgeKey;
  /** Probes that are not wanted, by name; absent where all are. */
  readonly probesOff?: 'all' | readonly string[];
  readonly stack: {
    readonly postgres: PostgresSpec;
    /** False where no OpenSearch runs beside Postgres, else how it is to run. Absent in old journals. */
    readonly opensearch?: boolean | OpenSearchSpec;
  };
}
