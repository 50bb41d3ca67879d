import type { NamedProcess } from '../../base/process/named-process.ts';
import type { ProbeRecord } from '../../journal/records.ts';
import type { MetricsSpec } from '../../journal/scenario-record.ts';
import type { ProbeWarning } from './probe-warning.ts';

/** Facts of a run that all probes can use. */
export interface ProbeContext {
  /** Null where the database is not the bench's. */
  readonly postgres: {
    adminUrl(database?: string): string;
    /** The pid of the postmaster; null where it runs on another machine or in a container. */
    readonly pid: number | null;
    /** `15.18` */
    readonly version: string;
    /** Null where the log cannot be read. */
    readonly logFile: string | null;
    /** Its control group, where it runs in a container. */
    readonly cgroup?: string;
  } | null;
  /** Null or absent where there is none. `pid` is null where it runs elsewhere or in a container. */
  readonly opensearch?: { readonly url?: string; readonly pid: number | null; readonly cgroup?: string } | null;
  /** True if any variant has a PgBouncer before its database. */
  readonly hasPooler?: boolean;
  /** The scenario's keys about the service's own metrics; absent where it has none. */
  readonly metrics?: MetricsSpec;
  /** Settings of the service's database sessions, where they are known; a plan depends on them. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
  readonly generatorPid: number;
  /** How long each arm is under load in one stretch, where the scenario says so: then its course is looked at, too. */
  readonly boundedMs?: number | undefined;
  /** The run folder's samples/: a probe that samples in time appends to a CSV file of its name there. */
  readonly samplesFolder: string;
  readonly onWarning: (warning: ProbeWarning) => void;
}

/** An arm that takes turns in a pass; its slice is the sum of its turns. */
export interface ProbedArm {
  readonly round: number;
  readonly slice: number;
  readonly arm: string;
  readonly database: string | null;
  /** The port of its database as the service knows it: a link before Postgres has its own. */
  readonly databasePort?: number;
  readonly url: string;
  /** The URLs of all instances of the service, `url` first, where there are several. */
  readonly urls?: readonly string[];
  /** The pid of the service, which stands for everything below it; null where somebody else started it. */
  readonly pid: number | null;
  /** All of them, by name, where the service is several processes: services in front of each other, or instances. */
  readonly processes?: readonly NamedProcess[];
  /** The pid of the postmaster, where the arm has its own server. */
  readonly postgresPid?: number;
  /** The control group of that server's container, where it runs in one. */
  readonly postgresCgroup?: string;
  /** The PgBouncer between its service and its database, where there is one. */
  readonly pooler?: ProbedPooler;
  /** How the names of its indices begin, in an OpenSearch that arms share. */
  readonly indexPrefix?: string;
  /** True during this arm's turn: samples at other moments say nothing about load. */
  readonly underLoad: () => boolean;
}

/** A PgBouncer, as its console shows it. */
export interface ProbedPooler {
  readonly pid: number;
  show(what: 'STATS' | 'POOLS'): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** When an arm was under load in a pass. */
export interface LoadTimes {
  /** The sum of its turns, drains included. Values per second are per second of this. */
  readonly loadMs: number;
  /** From the beginning of the pass to its end, other arms' turns included. */
  readonly passMs: number;
  /** Its turns, in milliseconds since the epoch by the time of day as the pass began, in order. */
  readonly turns: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Answers that came in its turns, of any status; absent where they are not known. */
  readonly requests?: number;
  /** WAL written in its turns, as the turn meter tells; null or absent where it does not. */
  readonly walBytes?: number | null;
  /** CPU of its database's sessions and their parallel workers in its turns; likewise. */
  readonly postgresCpuMs?: number | null;
}

export type ProbeReading = Pick<ProbeRecord, 'values' | 'rows'>;

/** The beginning of a pass, as one probe saw it for one arm. */
export interface ProbeMark {
  /** Called right after the pass. Null where nothing could be read; the reason has gone to `onWarning`. */
  end(load: LoadTimes): Promise<ProbeReading | null>;
}

/** Samples while load runs. The run knows only this, so that a fake can stand in. */
export interface Probe {
  readonly name: string;
  /** Called right before a pass, for each of its arms, so that marks of several arms are open at once. */
  begin(arm: ProbedArm): Promise<ProbeMark>;
  close(): Promise<void>;
}

/** Why a probe has nothing to tell here, for people: `no extension pg_stat_statements`. */
export interface AbsentProbe {
  readonly name: string;
  readonly absent: string;
}

/** A probe before it is opened. `registry.ts` lists all of them. */
export interface ProbeKind {
  /** Names it in a scenario's `probes`, in the journal and in the samples. */
  readonly name: string;
  /** Names of the values that it may give, without those that hold a name of the user's (of a process, a backend, a metric). */
  readonly values: readonly string[];
  /** Scope of the probe: opened for each database server, or once for a run. */
  readonly of: 'server' | 'machine';
  /** Set where it assigns values to arms by their turns, or has one value for all: arms of one process need that. */
  readonly byTurns?: true;
  /** A library that it needs in the server's shared_preload_libraries. */
  readonly preload?: string;
  open(context: ProbeContext): Promise<Probe | AbsentProbe>;
}
