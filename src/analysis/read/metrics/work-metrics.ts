import { type DatabaseColumn, databaseColumns } from '../../../journal/records.ts';
import { sum } from '../../../stats/moments.ts';
import type { CellSample } from '../cells/cell-sample.ts';
import type { IdleWork } from '../cells/idle-work.ts';
import type { WorkTally } from '../cells/work-sample.ts';
import {
  databaseLabels,
  durationMetric,
  type Metric,
  type MetricName,
  metrics,
  readingOf,
  type UsualMetricName,
  type WorkMetricName,
} from './metrics.ts';

/** Work per request: what a request costs, however fast it was served. */
export interface WorkMetric extends Metric<WorkMetricName> {
  /** A number of events, which may be rare; not an amount. */
  readonly isCount: boolean;
  tally(sample: CellSample): WorkTally | null;
  /**
   * How much of it there is in a millisecond without any request. Null where that is not known; 0 for what can only come
   * with an answer.
   */
  idlePerMs(idle: IdleWork, sample: CellSample): number | null;
}

interface Described {
  readonly name: WorkMetricName;
  readonly unit: string;
  readonly label: string;
  readonly better: 'lower' | null;
  readonly isCount: boolean;
}

function workMetric(described: Described, tally: WorkMetric['tally'], idlePerMs: WorkMetric['idlePerMs']): WorkMetric {
  return {
    ...described,
    group: 'work',
    overRounds: 'mean',
    tally,
    idlePerMs,
    read(sample) {
      const counted = tally(sample);
      return readingOf(counted === null || counted.requests === 0 ? null : counted.count / counted.requests);
    },
  };
}

function columnMetric(column: DatabaseColumn): WorkMetric {
  return workMetric(
    {
      name: `${column}_per_request`,
      unit: '1/request',
      label: databaseLabels[column],
      better: null,
      isCount: true,
    },
    ({ database }) =>
      database && { count: database.delta[column], requests: database.requests, wallMs: database.wallMs },
    ({ delta, countersMs }) => (countersMs > 0 ? delta[column] / countersMs : null),
  );
}

/**
 * Statements are not counted while arms idle, transactions are: the share of statements that follows time is taken to be
 * that of transactions.
 */
const statements = workMetric(
  {
    name: 'statements_per_request',
    unit: '1/request',
    label: 'statements',
    better: 'lower',
    isCount: true,
  },
  ({ work }) => work.statements ?? null,
  likeColumns(['xact_commit', 'xact_rollback'], 'wallMs', ({ work }) => work.statements ?? null),
);

/** WAL of idle arms is not told apart (they share a server); the rows that they write are. */
const wal = workMetric(
  { name: 'wal_bytes_per_request', unit: 'B/request', label: 'WAL bytes', better: 'lower', isCount: false },
  ({ work }) => work.walBytes ?? null,
  likeColumns(['tup_inserted', 'tup_updated', 'tup_deleted'], 'loadMs', ({ work }) => work.walBytes ?? null),
);

/**
 * Follows time by the share that some columns do. `clock` is the time over which it was counted: of the whole pass, or of
 * the arm's own turns.
 */
function likeColumns(
  columns: readonly DatabaseColumn[],
  clock: 'wallMs' | 'loadMs',
  tally: WorkMetric['tally'],
): WorkMetric['idlePerMs'] {
  const total = (of: Readonly<Record<DatabaseColumn, number>>): number => sum(columns.map((column) => of[column]));
  return ({ delta, countersMs }, sample) => {
    const { database } = sample;
    const counted = tally(sample);
    const clockMs = database?.[clock] ?? null;
    if (countersMs === 0 || database === null || clockMs === null || counted === null || counted.wallMs === null) {
      return null;
    }
    const idlePerMs = total(delta) / countersMs;
    if (idlePerMs === 0) return 0;
    const underLoadPerMs = total(database.delta) / clockMs;
    if (underLoadPerMs === 0) return Number.POSITIVE_INFINITY;
    return ((idlePerMs / underLoadPerMs) * counted.count) / counted.wallMs;
  };
}

/** Idle CPU is known of service and Postgres together; of each it is taken to be the same share. */
function cpuMetric(process: 'service' | 'postgres', label: string): WorkMetric {
  const tally: WorkMetric['tally'] = ({ work }) => work[`${process}CpuMs`] ?? null;
  return workMetric(
    { name: `${process}_cpu_ms_per_request`, unit: 'ms/request', label, better: 'lower', isCount: false },
    tally,
    ({ cpuMs, cpuKnownMs }, sample) => {
      const own = tally(sample)?.count ?? 0;
      const both = (sample.work.serviceCpuMs?.count ?? 0) + (sample.work.postgresCpuMs?.count ?? 0);
      return cpuKnownMs === 0 || both === 0 ? null : ((cpuMs / cpuKnownMs) * own) / both;
    },
  );
}

/** Received, of answers as expected. */
const bytesPerAnswer = workMetric(
  { name: 'bytes_per_answer', unit: 'B/answer', label: 'bytes/answer', better: null, isCount: false },
  ({ bytes, ok, windowMs }) => ({ count: bytes, requests: ok, wallMs: windowMs }),
  () => 0,
);

/** In the order of the tables. */
export const workMetrics: readonly WorkMetric[] = [
  statements,
  ...databaseColumns.map(columnMetric),
  wal,
  bytesPerAnswer,
  cpuMetric('service', 'service CPU ms'),
  cpuMetric('postgres', 'Postgres CPU ms'),
];

/** Every metric of the tables of any run. */
export const allMetrics: readonly Metric<UsualMetricName>[] = [...metrics, ...workMetrics];

/** Those, and what only some kinds of load have. */
export const namedMetrics: readonly Metric<MetricName>[] = [durationMetric, ...allMetrics];
