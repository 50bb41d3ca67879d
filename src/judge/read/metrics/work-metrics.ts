import { type DatabaseColumn, databaseColumns } from '../../../journal/records.ts';
import { sum } from '../../stats/moments.ts';
import type { CellSample } from '../cells/cell-sample.ts';
import { type IdleWork, together, type WorkTally } from '../cells/work-sample.ts';
import {
  databaseLabels,
  durationMetric,
  longestWait,
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
 * Statements are not counted while arms idle, transactions are. The share of statements that depends on time is taken
 * to be the share of transactions.
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

const writtenRows = ['tup_inserted', 'tup_updated', 'tup_deleted'] as const;

/**
 * WAL of the arm's own turns, and of the whole pass where it has its own server. Arms that share a server cannot be
 * distinguished while idle; the rows that they write can.
 */
const walOf: WorkMetric['tally'] = ({ work }) => together(work.walBytes, work.laterWalBytes);
const wal = workMetric(
  { name: 'wal_bytes_per_request', unit: 'B/request', label: 'WAL bytes', better: 'lower', isCount: false },
  walOf,
  (idle, sample) =>
    likeColumns(writtenRows, sample.work.laterWalBytes === undefined ? 'loadMs' : 'wallMs', walOf)(idle, sample),
);

/** Only of an arm that has its server for itself. */
const dataOf: WorkMetric['tally'] = ({ work }) => work.dataBytes ?? null;
const data = workMetric(
  { name: 'data_bytes_per_request', unit: 'B/request', label: 'data file bytes', better: 'lower', isCount: false },
  dataOf,
  likeColumns(writtenRows, 'wallMs', dataOf),
);

const temp = workMetric(
  { name: 'temp_bytes_per_request', unit: 'B/request', label: 'temp file bytes', better: 'lower', isCount: false },
  ({ database }) =>
    database === null || database.tempBytes === null
      ? null
      : { count: database.tempBytes, requests: database.requests, wallMs: database.wallMs },
  ({ tempBytes, countersMs }) => (countersMs > 0 ? tempBytes / countersMs : null),
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

/**
 * Idle CPU is known of service and sessions together; of each it is taken to be the same share. What follows time is there whenever
 * an arm has no load. Soon after the start code is compiled late, and between its own turns an arm may finish what requests
 * began: of both rates the lower is nearer.
 */
function idleCpuPerMs(process: 'service' | 'postgres'): WorkMetric['idlePerMs'] {
  return ({ cpuMs, cpuKnownMs }, { work }) => {
    const own = work[`${process}CpuMs`]?.count ?? 0;
    const both = (work.serviceCpuMs?.count ?? 0) + (work.postgresCpuMs?.count ?? 0);
    if (cpuKnownMs === 0 || both === 0) return null;
    const { count, wallMs } = work.idleCpuMs ?? { count: 0, wallMs: null };
    return (Math.min(cpuMs / cpuKnownMs, wallMs ? count / wallMs : Number.POSITIVE_INFINITY) * own) / both;
  };
}

const serviceCpu = workMetric(
  { name: 'service_cpu_ms_per_request', unit: 'ms/request', label: 'service CPU ms', better: 'lower', isCount: false },
  ({ work }) => work.serviceCpuMs ?? null,
  idleCpuPerMs('service'),
);

/**
 * CPU of its sessions in its own turns, and of its background processes over the whole pass, since these depend on
 * time.
 */
const postgresCpu = workMetric(
  {
    name: 'postgres_cpu_ms_per_request',
    unit: 'ms/request',
    label: 'Postgres CPU ms',
    better: 'lower',
    isCount: false,
  },
  ({ work }) => together(work.postgresCpuMs, work.backgroundCpuMs),
  (idle, sample) => {
    const ofSessions = idleCpuPerMs('postgres')(idle, sample);
    const { postgresCpuMs: sessions, backgroundCpuMs: background } = sample.work;
    if (ofSessions === null || sessions === undefined || background === undefined) return ofSessions;
    if (idle.backgroundKnownMs === 0 || background.wallMs === null || !sessions.wallMs) return null;
    // Processes that wake up a few times in 3 s: what they seem to do by time alone may be more than they did.
    const byTimeMs = (idle.backgroundCpuMs / idle.backgroundKnownMs) * background.wallMs;
    return ofSessions + Math.min(byTimeMs, background.count) / sessions.wallMs;
  },
);

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
  data,
  temp,
  bytesPerAnswer,
  serviceCpu,
  postgresCpu,
];

/** Every metric of the tables of any run. */
export const allMetrics: readonly Metric<UsualMetricName>[] = [...metrics, ...workMetrics];

/** Those, and what only some kinds of load have. */
export const namedMetrics: readonly Metric<MetricName>[] = [durationMetric, longestWait, ...allMetrics];
