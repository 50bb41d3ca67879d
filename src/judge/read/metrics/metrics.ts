import { type DatabaseColumn, databaseColumns } from '../../../journal/records.ts';
import { answersFor, type NamedPercentile } from '../../../journal/run/percentiles.ts';
import type { CountOverTime } from '../../stats/poisson-rates.ts';
import type { CellSample } from '../cells/cell-sample.ts';
import type { LatencyFigures } from '../cells/latency-counts.ts';

type LoadMetricName =
  | 'requests_per_s'
  | 'latency_mean_ms'
  | 'latency_p50_ms'
  | 'latency_p95_ms'
  | 'latency_p99_ms'
  | 'latency_p99_9_ms'
  | 'throughput_bytes_per_s';
export type WorkMetricName =
  | 'statements_per_request'
  | `${DatabaseColumn}_per_request`
  | 'wal_bytes_per_request'
  | 'data_bytes_per_request'
  | 'temp_bytes_per_request'
  | 'bytes_per_answer'
  | 'service_cpu_ms_per_request'
  | 'postgres_cpu_ms_per_request';
/** The metrics of every run. */
export type UsualMetricName = LoadMetricName | `${DatabaseColumn}_per_s` | WorkMetricName;
export type MetricName = UsualMetricName | 'duration_ms' | 'longest_wait_ms';

/** Why a metric has no value. `samples` is what there was, `needed` what it takes; null where nothing was counted. */
export interface Gap {
  readonly samples: number;
  readonly needed: number;
}
type Reading = { readonly value: number; readonly gap?: never } | { readonly value: null; readonly gap: Gap | null };

/** A value as it was read; without one nothing was counted. */
export function readingOf(value: number | null | undefined): Reading {
  return value === null || value === undefined ? { value: null, gap: null } : { value };
}

/** Metrics of the tables have a MetricName, values of probes any other name. */
export interface Metric<Name extends string = string> {
  readonly name: Name;
  readonly unit: string;
  /** For table heads. */
  readonly label: string;
  /** Which direction is good news; null where it depends on what one wants. */
  readonly better: 'higher' | 'lower' | null;
  readonly group: 'load' | 'database' | 'work' | 'probe';
  /** Over several rounds: the mean of the rounds' values, or (percentiles) the value of the merged histograms. */
  readonly overRounds: 'mean' | 'merged';
  /** `needed`: answers that it takes at least, where that are fewer than a verdict takes. */
  read(sample: CellSample, needed?: number): Reading;
  /** The percentile of latencies that it is, of all rounds together. */
  readonly percentile?: NamedPercentile;
  /** It is of the requests just before a job, and not of those beside it. */
  readonly withoutJob?: true;
  /** The name of a probe's value, where the metric is nothing else: such are many, and read by column. */
  readonly probe?: string;
  /** Either of both, where it moves with it: their parts show how skewed its rounds are. */
  readonly follows?: 'rate' | 'latency';
  /** The only kind of request that it is of, by name. */
  readonly request?: string;
  /** The count behind the metric, where it is a number of events over time. */
  count?(sample: CellSample): CountOverTime | null;
}

export const databaseLabels: Readonly<Record<DatabaseColumn, string>> = {
  xact_commit: 'commits',
  xact_rollback: 'rollbacks',
  blks_read: 'blks read',
  blks_hit: 'blks hit',
  tup_returned: 'returned',
  tup_fetched: 'fetched',
  tup_inserted: 'inserted',
  tup_updated: 'updated',
  tup_deleted: 'deleted',
};

/** A metric without its own table: it explains others. */
export function innerMetric(name: string, read: Metric['read'], own: Partial<Metric> = {}): Metric {
  return { name, unit: '', label: name, better: null, group: 'database', overRounds: 'mean', read, ...own };
}

/** 2xx answers per second; in a closed loop by how long its connections were busy with them. */
export const requestsPerSecond: Metric<UsualMetricName> = {
  name: 'requests_per_s',
  unit: '1/s',
  label: '2xx/s',
  better: 'higher',
  group: 'load',
  overRounds: 'mean',
  follows: 'rate',
  read: (sample) => perSecond(sample.ok, sample.rateMs),
  count: (sample) => ({ count: sample.ok, seconds: sample.rateMs / 1000 }),
};

/** In an open loop from the moment at which a request was due. */
export const meanLatency: Metric<UsualMetricName> = latencyMetric(
  { name: 'latency_mean_ms', label: 'mean ms', overRounds: 'mean', follows: 'latency' },
  1,
  (latency) => latency.meanUs,
);

/** Judged beside the mean where users feel the tail: at a rate, and for users. */
export const p99Latency: Metric<UsualMetricName> = percentileMetric('latency_p99_ms', 99, (latency) => latency.p99Us);

/** Short names of latencies, as load tools print them. */
export const latencyNames = {
  mean_ms: 'latency_mean_ms',
  p50_ms: 'latency_p50_ms',
  p95_ms: 'latency_p95_ms',
  p99_ms: 'latency_p99_ms',
  'p99.9_ms': 'latency_p99_9_ms',
} as const;

/** The time of this many requests and no more; none where a slice had not answered all of them when its limit came. */
export const durationMetric: Metric<MetricName> = {
  name: 'duration_ms',
  unit: 'ms',
  label: 'time, ms',
  better: 'lower',
  group: 'load',
  overRounds: 'mean',
  read({ bounded }) {
    if (bounded === null || bounded.durationMs === null) return readingOf(null);
    return { value: bounded.durationMs / bounded.slices };
  },
};

/** The longest wait of a request that was under way while a job ran, answered or not; over rounds the mean. */
export const longestWait: Metric<MetricName> = {
  name: 'longest_wait_ms',
  unit: 'ms',
  label: 'longest wait, ms',
  better: 'lower',
  group: 'load',
  overRounds: 'mean',
  read: ({ beside }) => readingOf(beside && beside.longestUs / 1000),
};

/** The metrics per second, in the order of the tables; work per request is in work-metrics.ts. */
export const metrics: readonly Metric<UsualMetricName>[] = [
  requestsPerSecond,
  meanLatency,
  percentileMetric('latency_p50_ms', 50, (latency) => latency.p50Us),
  percentileMetric('latency_p95_ms', 95, (latency) => latency.p95Us),
  p99Latency,
  percentileMetric('latency_p99_9_ms', 99.9, (latency) => latency.p999Us),
  {
    name: 'throughput_bytes_per_s',
    unit: 'B/s',
    label: 'bytes/s',
    better: 'higher',
    group: 'load',
    overRounds: 'mean',
    follows: 'rate',
    read: ({ bytes, rateMs }) => perSecond(bytes, rateMs),
  },
  ...databaseColumns.map(databaseMetric),
];

function latencyMetric(
  base: Pick<Metric<UsualMetricName>, 'name' | 'label' | 'overRounds' | 'follows'>,
  enough: number,
  pickUs: (latency: LatencyFigures) => number,
): Metric<UsualMetricName> {
  return {
    ...base,
    unit: 'ms',
    better: 'lower',
    group: 'load',
    read(sample, needed = enough) {
      // The histogram counts the 2xx answers, so too few are known without it.
      if (sample.ok < needed) return { value: null, gap: { samples: sample.ok, needed } };
      return readingOf(sample.latency && pickUs(sample.latency) / 1000);
    },
  };
}

function percentileMetric(
  name: UsualMetricName,
  percentile: NamedPercentile,
  pickUs: (latency: LatencyFigures) => number,
): Metric<UsualMetricName> {
  const base = { name, label: `p${percentile} ms`, overRounds: 'merged' } as const;
  return { ...latencyMetric(base, answersFor(percentile), pickUs), percentile };
}

function databaseMetric(column: DatabaseColumn): Metric<UsualMetricName> {
  return {
    name: `${column}_per_s`,
    unit: '1/s',
    label: databaseLabels[column],
    better: null,
    group: 'database',
    overRounds: 'mean',
    read: ({ database }) => (database === null ? readingOf(null) : perSecond(database.delta[column], database.loadMs)),
    count: ({ database }) =>
      database === null ? null : { count: database.delta[column], seconds: database.loadMs / 1000 },
  };
}

function perSecond(count: number, milliseconds: number): Reading {
  return readingOf(milliseconds > 0 ? count / (milliseconds / 1000) : null);
}
