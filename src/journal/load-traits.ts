import type { VoidReason } from './void-reasons.ts';

/** Units that load levels are sized in. Levels of one axis are ordered by their size. */
export const loadAxes = ['connections', 'rate', 'users'] as const;

export type LoadAxis = (typeof loadAxes)[number];

/** A kind of load, sized on one axis. Its traits are a line of `loadTraits`. */
export type LoadKind = (typeof loadKinds)[number];

/** Everything that is asked of a load level, by its kind. */
export interface LoadTraits {
  readonly axis: LoadAxis;
  readonly unit: readonly [one: string, more: string];
  /** Sizes are counts, and no fractions. */
  readonly isWhole: boolean;
  /** Stands before the size, in keys and for people; absent where the size says enough. */
  readonly named?: { readonly key: string; readonly label: string };
  /** Arms can alternate in short turns. False where a turn would cut off a queue, or the pauses of users. */
  readonly takesTurns: boolean;
  /** An outside engine makes it, which starts for each turn. */
  readonly startsProgram: boolean;
  /** More of the start of a turn is not counted: until queues are full, and clients have come. */
  readonly fillsSlowly: boolean;
  /** The run decides how long a slice is. False where the load ends by itself, and all of it counts. */
  readonly isTimed: boolean;
  /** Arms are warmed up before it. False where the load itself begins on a cold process. */
  readonly warmsUp: boolean;
  /** Each client always waits for one answer, so the size is the number of requests under way. */
  readonly isClosedLoop: boolean;
  /** Each client always goes through an iteration of requests and pauses, so the size is the number of iterations under way. */
  readonly iterates: boolean;
  /** Requests are due at their times, whether earlier ones were answered or not. */
  readonly isOpenLoop: boolean;
  /** A rate that answers set is judged itself; where it is given, or users pause, latency is. */
  readonly judgedBy: 'throughput' | 'latency';
  /**
   * How its rate is counted besides by what was sent: by answers that came within turns, or slices. Null where what is sent
   * follows no answers, or where all of it counts.
   */
  readonly secondCount: 'within turns' | 'within slices' | null;
  /** Unit of work. Documents that fail are sent again, and lost only in the end; requests are not. */
  readonly counts: 'requests' | 'documents' | 'runs';
  /** Requests that were due and not sent show an overloaded service. A script that pauses may just lack users. */
  readonly showsOverload: boolean;
  /** A job runs on the database in each of its slices: work there is not the requests' alone. */
  readonly isBesideJob: boolean;
  /** Validity checks that the load fails by its nature. */
  readonly unchecked: readonly VoidReason[];
}

const closedLoop: LoadTraits = {
  axis: 'connections',
  unit: ['connection', 'connections'],
  isWhole: true,
  takesTurns: true,
  startsProgram: false,
  fillsSlowly: false,
  isTimed: true,
  warmsUp: true,
  isClosedLoop: true,
  iterates: false,
  isOpenLoop: false,
  judgedBy: 'throughput',
  secondCount: 'within turns',
  counts: 'requests',
  showsOverload: false,
  isBesideJob: false,
  unchecked: [],
};

const openLoop: LoadTraits = {
  ...closedLoop,
  axis: 'rate',
  unit: ['request/s', 'requests/s'],
  isWhole: false,
  takesTurns: false,
  fillsSlowly: true,
  isClosedLoop: false,
  isOpenLoop: true,
  judgedBy: 'latency',
  secondCount: null,
  showsOverload: true,
};

const users: LoadTraits = {
  ...closedLoop,
  axis: 'users',
  unit: ['user', 'users'],
  takesTurns: false,
  isClosedLoop: false,
  judgedBy: 'latency',
  secondCount: 'within slices',
};

/** Differences where an outside engine sends the requests. It opens and closes connections as it likes. */
const outside = { startsProgram: true, fillsSlowly: true, secondCount: null, unchecked: ['connections'] } as const;

const kinds = {
  connections: closedLoop,
  rate: openLoop,
  users,
  iterations: { ...openLoop, ...outside, unit: ['iteration/s', 'iterations/s'], showsOverload: false },
  vus: { ...users, ...outside, iterates: true },
  autocannon: {
    ...closedLoop,
    ...outside,
    named: { key: 'autocannon', label: 'autocannon' },
    takesTurns: false,
    // Pipelined requests wait behind each other.
    isClosedLoop: false,
  },
  bulk: {
    ...closedLoop,
    named: { key: 'bulk', label: 'bulk load' },
    isTimed: false,
    warmsUp: false,
    isClosedLoop: false,
    secondCount: null,
    counts: 'documents',
    // Failed documents are a result, which the report marks. Connections idle while a document waits for another one.
    unchecked: ['failed requests', 'littles law', 'connections'],
  },
  job: {
    ...closedLoop,
    unit: ['run', 'runs'],
    named: { key: 'job', label: 'job' },
    takesTurns: false,
    warmsUp: false,
    isClosedLoop: false,
    secondCount: null,
    counts: 'runs',
    // A failed run is a result, and its arm has no verdict.
    unchecked: ['failed requests', 'littles law', 'connections'],
  },
  beside: {
    ...closedLoop,
    named: { key: 'beside', label: 'beside the job' },
    takesTurns: false,
    // Its rate is by time: that of answers would leave out connections that wait for the job.
    isClosedLoop: false,
    secondCount: null,
    isBesideJob: true,
    // Requests that fail while a job runs are a result, which the report marks.
    unchecked: ['failed requests', 'littles law', 'connections'],
  },
} satisfies Readonly<Record<string, LoadTraits>>;

export const loadKinds = Object.keys(kinds) as readonly (keyof typeof kinds)[];

export const loadTraits: Readonly<Record<LoadKind, LoadTraits>> = kinds;

/** Traits of the slices of a run that follow from how they end. */
export interface SliceTraits {
  /** Arms have them in one stretch, whatever the kind of load. */
  readonly inOneStretch: boolean;
  /** Every request counts, from the first to the last. Their time is judged. */
  readonly countsAll: boolean;
  /** Each is long and the only one of its round: its course is sampled often, and drawn. */
  readonly showsCourse: boolean;
  /** Validity checks that such slices fail by their nature. */
  readonly unchecked: readonly VoidReason[];
}

const byClock: SliceTraits = { inOneStretch: false, countsAll: false, showsCourse: false, unchecked: [] };

/** Traits of slices that end when their time is over, with a number of requests, or as one stretch of a given length. */
export const sliceTraits = {
  byClock,
  // Towards their end connections have nothing left to send.
  count: { ...byClock, inOneStretch: true, countsAll: true, unchecked: ['littles law'] },
  for: { ...byClock, inOneStretch: true, showsCourse: true },
} satisfies Readonly<Record<string, SliceTraits>>;

/** Plural unit of an axis: `connections`, `requests/s`, `users`. */
export function axisUnit(axis: LoadAxis): string {
  return loadTraits[axis].unit[1];
}
