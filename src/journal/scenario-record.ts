/**
 * The resolved scenario: what was asked, with every default filled in. It stands in the journal because both halves
 * of the bench read it, and a run must be judged again without the YAML file that it came from.
 */

/** One intensity of load. Variants are compared within a load level, never across. */
export interface LoadLevel {
  /** Client connections of a closed loop: each sends its next request when the answer to the last has come. */
  readonly connections: number;
}

export type FactorValue = string | number | boolean;

/** One setting of everything that varies. */
export interface Variant {
  /** `pool=25` for a grid (`pool=25, lock=none` with more factors), the name given otherwise. */
  readonly name: string;
  /** Factor values of a grid, in the order of the scenario; empty for named variants. */
  readonly factors: Readonly<Record<string, FactorValue>>;
  /** Environment of the service, over the target's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly cwd?: string;
  readonly url?: string;
}

/** The document service that comes with the bench. */
export interface ServiceTarget {
  readonly kind: 'service';
  readonly service: 'documents';
  readonly env: Readonly<Record<string, string>>;
}

/** A service of the user's own, started once per arm. */
export interface CommandTarget {
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
}

/** A service that somebody else started. Nothing is started, reset or sampled in the database. */
export interface UrlTarget {
  readonly kind: 'url';
  readonly url: string;
}

export type Target = ServiceTarget | CommandTarget | UrlTarget;

/** What is in the database before load starts. File names are absolute. */
export type DatasetSpec =
  | {
      readonly kind: 'template';
      readonly template: 'partial-grand-bend';
      readonly documents: number;
      readonly seed: number;
    }
  | { readonly kind: 'edfi'; readonly folder: string }
  | { readonly kind: 'sql'; readonly files: readonly string[] }
  | { readonly kind: 'command'; readonly command: string; readonly cwd: string }
  | { readonly kind: 'none' };

/** A value in a request: text with placeholders, or JSON whose strings may hold placeholders. */
export type RequestValue =
  | string
  | number
  | boolean
  | null
  | readonly RequestValue[]
  | { readonly [key: string]: RequestValue };

export interface RequestSpec {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestValue;
  /** How often this request is sent, against the weights of the others. */
  readonly weight: number;
  /** The statuses that are no failure; any 2xx where left out. */
  readonly expect?: readonly number[];
}

/** The workloads that the bench brings for its document service. */
export const builtInWorkloads = [
  'upsert-schools',
  'insert-schools',
  'update-schools',
  'get-schools',
  'list-schools',
] as const;

export type BuiltInWorkload = (typeof builtInWorkloads)[number];

/** Where requests come from. A module's file name is absolute. */
export type WorkloadSpec =
  | { readonly kind: 'built-in'; readonly workload: BuiltInWorkload }
  | { readonly kind: 'requests'; readonly requests: readonly RequestSpec[] }
  | { readonly kind: 'module'; readonly module: string };

export interface LoadSpec {
  readonly levels: readonly LoadLevel[];
  readonly workload: WorkloadSpec;
  readonly sliceMs: number;
  /** How much of the start of every slice is not counted; the same in every arm. */
  readonly dropMs: number;
  /** The longest that a fresh process is warmed; it ends sooner once the rate is flat. */
  readonly warmupMs: number;
  readonly slicesPerRound: number;
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
  /** Differences within +-margin count as the same. */
  readonly marginPercent: number;
  readonly stack: {
    readonly postgres: { readonly settings: Readonly<Record<string, string>>; readonly port?: number };
    /** Whether OpenSearch runs beside Postgres. Absent in old journals. */
    readonly opensearch?: boolean;
  };
}
