/**
 * The resolved scenario: what was asked, with every default filled in. It stands in the journal because both halves
 * of the bench read it, and a run must be judged again without the YAML file that it came from.
 */
import { bulkSpec } from './bulk-spec.ts';
import { capacitySpec } from './capacity/capacity-spec.ts';
import { jobSource, jobSpec } from './job-spec.ts';
import { ownDatabase } from './link/own-database.ts';
import { boundedSpec, loadLevel, openLoopSpec } from './load-record.ts';
import { requestValue, sentFields } from './request-value.ts';
import { against } from './run/against-record.ts';
import { judgeKeys } from './run/judge-keys.ts';
import { builtInWorkload, emptyTables, sampleData } from './sample.ts';
import { k6Workload, scriptSpec } from './script-spec.ts';
import { maskedUrl, serviceChange, target } from './service/targets.ts';
import {
  amount,
  byKind,
  byName,
  count,
  either,
  fields,
  flag,
  list,
  number,
  oneOf,
  optional,
  text,
  type ValueOf,
} from './shape.ts';
import { tuneSpec } from './tune/tune-spec.ts';
import { variantParts } from './variant-parts.ts';

export * from './bulk-spec.ts';
export * from './load-record.ts';
export type * from './service/targets.ts';

/** More variants or load levels than these make no table that anybody reads. */
const MOST_VARIANTS = 1000;
const MOST_LEVELS = 100;

export type FactorValue = string | number | boolean;

/** Measures that can replace a cost: memory, or CPU time per request, of the service and its database. */
export const measuredCosts = ['memory_mb', 'cpu'] as const;

export type MeasuredCost = (typeof measuredCosts)[number];

const release = {
  /** `17` or `17.2`. */
  version: optional(text),
  /** The container's image. */
  image: optional(text),
  /** Another kind of stack for this server. */
  stack: optional(oneOf('docker', 'embedded')),
};
/** Which Postgres. Servers that differ in any of this have a data folder each, loaded apart. */
export interface PostgresRelease extends ValueOf<typeof postgresRelease> {}
const postgresRelease = fields(release);

/** A statement that changes a variant's database. */
export interface TreatmentSql extends ValueOf<typeof treatmentSql> {}
const treatmentSql = fields({
  apply: text,
  /** Run when the arm has ended; needed for what reaches beyond the arm's own database. */
  undo: optional(text),
});

/** The changes to a variant's own copy of the database, made before its service starts, in the order of the fields. */
export interface Treatment extends ValueOf<typeof treatment> {}
const treatment = fields({
  /** Postgres settings: of the database where Postgres allows that, of a server of the variant's own otherwise. */
  settings: byName(text),
  dropIndex: list(text),
  /** Statements: `CREATE INDEX ...`. */
  createIndex: list(text),
  /** Kept up by every write, and used by no query. */
  hideIndex: list(text),
  sql: list(treatmentSql),
  /** Another Postgres, on a server of the variant's own. */
  postgres: optional(postgresRelease),
});

/** The content of the database before load starts. File names are absolute. */
export type DatasetSpec = ValueOf<typeof datasetSpec>;
/** The ordinary role that the service has; absent: it has the superuser's. */
const ofRole = { role: optional(text) };
const datasetSpec = byKind({
  ...sampleData,
  schema: fields({ kind: oneOf(emptyTables.kind) }),
  sql: fields({ kind: oneOf('sql'), files: list(text), singleTransaction: optional(oneOf(true)), ...ofRole }),
  /** Written by pg_dump, in any of its formats: a file, or a folder. */
  dump: fields({ kind: oneOf('dump'), dump: text, ...ofRole }),
  command: fields({ kind: oneOf('command'), command: text, cwd: text, ...ofRole }),
  none: fields({ kind: oneOf('none'), ...ofRole }),
});

/** One setting of everything that varies. */
export interface Variant extends ValueOf<typeof variant> {}
export const variant = fields({
  /** `pool=25` for a grid (`pool=25, lock=none` with more factors), the name given otherwise. */
  name: text,
  /** Factor values of a grid, in the order of the scenario; of a named variant those that it names, mostly none. */
  factors: byName(either(text, number, flag)),
  /** Environment of the service, over the target's own. */
  env: byName(text),
  command: optional(text),
  cwd: optional(text),
  url: optional(maskedUrl),
  ...ownDatabase,
  job: optional(jobSource),
  /** Changes to some of several services, by their names; absent where there are none. */
  services: optional(byName(serviceChange)),
  /** The changes to the variant's database; absent where there are none. */
  treatment: optional(treatment),
  /** Its own data set, in place of the scenario's. */
  dataset: optional(datasetSpec),
  ...variantParts,
  /** Its price, in any unit: the cheapest of several that are good enough is taken. Absent where the scenario says nothing. */
  cost: optional(amount),
});

/** The variant of that name; one without settings where the scenario has none of it. */
export function variantNamed({ variants }: { readonly variants: readonly Variant[] }, name: string): Variant {
  return variants.find((variant) => variant.name === name) ?? { name, factors: {}, env: {} };
}

export interface RequestSpec extends ValueOf<typeof requestSpec> {}
const requestSpec = fields({
  ...sentFields,
  /** How often this request is sent, against the weights of the others. */
  weight: amount,
});

/** Where requests come from. A module's file name is absolute. */
export type WorkloadSpec = ValueOf<typeof workloadSpec>;
const workloadSpec = byKind({
  'built-in': fields({ kind: oneOf('built-in'), workload: builtInWorkload }),
  requests: fields({ kind: oneOf('requests'), requests: list(requestSpec) }),
  module: fields({ kind: oneOf('module'), module: text, options: optional(byName(requestValue)) }),
  script: scriptSpec,
  k6: k6Workload,
});

export interface LoadSpec extends ValueOf<typeof loadSpec> {}
const loadSpec = fields({
  /** The data set that `levels` with `bulk` post. */
  bulk: optional(bulkSpec),
  job: optional(jobSpec),
  /** Empty where the run looks for capacities: its levels are found round by round. */
  levels: list(loadLevel, 0, MOST_LEVELS),
  /** Set where the question is how much load each variant sustains. */
  capacity: optional(capacitySpec),
  workload: workloadSpec,
  /** Set where levels are rates. */
  openLoop: optional(openLoopSpec),
  /** Set where a slice ends with its last request and not with its time. */
  bounded: optional(boundedSpec),
  /** The time under load that an arm has at a load level in a round: the sum of its turns. */
  sliceMs: amount,
  /** Set where that is a bounded run of one stretch: equal to `sliceMs`. */
  forMs: optional(amount),
  /** Set where users pause: in a shorter slice few of them have done anything. */
  leastSliceMs: optional(amount),
  /** Set where slices follow the noise that the run sees: `sliceMs` is then that of its first round. */
  autoSlice: optional(oneOf(true)),
  /** How much of the start of every turn is not counted, at most; alike in every arm. */
  dropMs: amount,
  /** How long the arms take turns: `auto` (or absent) by the latency of the load level, `off` in whole slices. */
  turn: optional(either(oneOf('auto', 'off'), amount)),
  /** How long a fresh process is warmed, in turns with the others; with `warmupRequests` the most that may take. */
  warmupMs: amount,
  /** How many requests warm a process in the first round, of all arms that share it together. Absent where the scenario names a time. */
  warmupRequests: optional(count),
  /** The uncounted load at the start of each turn, for arms that are one process. */
  settleMs: optional(amount),
  /** Among how many processes of the load generator the connections are dealt. Absent where it is one. */
  processes: optional(count),
  /** Requests that each connection of autocannon has under way. Absent where it is one. */
  pipelining: optional(count),
  /** The first number of `${unique}`. Absent where the scenario does not say: FIRST_UNIQUE. */
  uniqueFrom: optional(count),
  timeoutMs: amount,
  /** A slice in which more requests fail is discarded. Absent: 1. */
  maxFailedPercent: optional(amount),
  /** Transactions that each answered request commits; absent where nobody said. */
  transactionsPerRequest: optional(amount),
});

export interface RoundsSpec extends ValueOf<typeof roundsSpec> {}
export const roundsSpec = fields({
  min: count,
  max: count,
  budgetMs: amount,
  /** How long the run may take in all, while what is open beyond the budget should be settled by then. Absent where it ends with its budget. */
  settleWithinMs: optional(amount),
  /** `server`: Postgres too is started fresh in every round, not only the service. */
  restart: optional(oneOf('service', 'server')),
});

const limits = {
  /** CPU time, in CPUs: 1.5. */
  cpus: optional(amount),
  /** Which CPUs: `0,2` or `0-3`. */
  cpuset: optional(text),
  /** As Docker reads it: `512m`, `2g`. */
  memory: optional(text),
};
/** Limits of a server's container; the whole machine where left out. */
export interface ServerLimits extends ValueOf<typeof serverLimits> {}
const serverLimits = fields(limits);

export interface PostgresSpec extends ValueOf<typeof postgresSpec> {}
const postgresSpec = fields({
  ...release,
  ...limits,
  settings: byName(text),
  port: optional(count),
  /** Set where Postgres does its own housekeeping by its defaults. Absent: no autovacuum, and next to no checkpoint. */
  housekeeping: optional(oneOf(true)),
});

export interface OpenSearchSpec extends ValueOf<typeof openSearchSpec> {}
const openSearchSpec = fields({
  ...limits,
  version: optional(text),
  image: optional(text),
  heapMb: optional(amount),
});

export interface ResolvedScenario extends ValueOf<typeof resolvedScenario> {
  /**
   * The control that the run was planned with, which has two arms. Set where it is judged against another variant
   * (src/judge/read/other-control.ts); no journal holds it.
   */
  readonly plannedControl?: string;
}
export const resolvedScenario = fields({
  /** The file's name without folder and ending; names the run folder. */
  name: text,
  title: text,
  file: text,
  target,
  dataset: datasetSpec,
  /** In the order of the scenario. The control is one of them. */
  variants: list(variant, 1, MOST_VARIANTS),
  /** The name of the control variant. */
  control: text,
  /**
   * How many variants besides the control a round has at most, where variants are proposed from round to round
   * (journal/line-up.ts). Absent where every round has those of the scenario.
   */
  slots: optional(count),
  /** The space whose best setting is searched for. Absent where the variants are named. */
  tune: optional(tuneSpec),
  /** Set where variants are commits and the folder as it was. */
  against: optional(against),
  load: loadSpec,
  rounds: roundsSpec,
  /** Set where the question is which setting to take: the run ends when that is decided. Absent where it is what each change does. */
  question: optional(oneOf('best')),
  /** The measure of which setting is the cheapest. Absent where variants have costs, or their order tells. */
  cost: optional(oneOf(...measuredCosts)),
  /** Differences within +-margin count as equal. */
  marginPercent: amount,
  /** The metric that the run is about. Absent where the kind of load says. */
  judge: optional(oneOf(...judgeKeys)),
  /** Probes that are not wanted, by name; absent where all are. */
  probesOff: optional(either(oneOf('all'), list(text))),
  stack: fields({
    postgres: postgresSpec,
    /** False or absent where no OpenSearch runs beside Postgres, else its settings. */
    opensearch: optional(either(flag, openSearchSpec)),
  }),
});
