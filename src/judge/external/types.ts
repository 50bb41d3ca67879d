/** Where the time of a run is known from: its tool wrote it down, the file was last written then, or a column says so. */
export type TimeSource = 'tool' | 'file' | 'column';

/** When a run was taken, in milliseconds since 1970. A column knows no duration: both are the same. */
export interface Taken {
  readonly startMs: number;
  readonly endMs: number;
  readonly source: TimeSource;
}

/** How far below and above the number that stands there the measured one may lie, in the metric's unit. */
export interface Rounding {
  readonly below: number;
  readonly above: number;
}

export interface ExternalMetric {
  readonly name: string;
  /** Empty where the source names none. */
  readonly unit: string;
  /** How many samples a percentile takes to be more than the luck of a few requests; absent for other metrics. */
  readonly needed?: number;
  /** Absent where numbers stand as they were measured. */
  readonly rounding?: Rounding;
}

export interface Failures {
  readonly count: number;
  readonly among: number;
  /** A command that failed has done other work than the others: none of its times is compared. */
  readonly ofCommands?: true;
  /** Clients that ended early left the rest of the run to the others: none of its numbers is compared. */
  readonly ofClients?: true;
}

/** A column or a row of a table that is not compared. */
export interface LeftOutOfTable {
  readonly name: string;
  /** Its numbers are changes already, or it has no numbers. */
  readonly why: 'changes' | 'no-numbers';
}

/** One measurement of one variant, from another tool or a table. */
export interface ExternalRun {
  readonly variant: string;
  /** For messages: `base-1.json`, `table.md:12`. */
  readonly place: string;
  /** Null where it is unknown. */
  readonly taken: Taken | null;
  /** By the metric's name. */
  readonly values: ReadonlyMap<string, number>;
  /** Texts in place of a number, such as `timeout`; by the metric's name. */
  readonly texts: ReadonlyMap<string, string>;
  /** How many latencies its percentiles are made of; null where that is not known. */
  readonly samples: number | null;
  /** Failed requests or commands among all; null where the source does not count them. */
  readonly failures: Failures | null;
}

/** Runs that may be compared with each other: of one table, or of one tool. */
export interface ExternalGroup {
  readonly title: string;
  /** The head of the first column of a table; absent for tools. */
  readonly corner?: string;
  readonly metrics: readonly ExternalMetric[];
  readonly runs: readonly ExternalRun[];
  /** True where the source has variants side by side; the answer then has them so, too. */
  readonly variantsAcross: boolean;
  readonly leftOut: readonly LeftOutOfTable[];
}

/** A table as text, with the line of each row. */
export interface Grid {
  /** The heading above it; else its place. */
  readonly title: string;
  readonly file: string;
  readonly line: number;
  readonly head: readonly string[];
  readonly rows: readonly GridRow[];
}

export interface GridRow {
  readonly line: number;
  /** As many as the head has. */
  readonly cells: readonly string[];
}
