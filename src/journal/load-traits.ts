import type { VoidReason } from './void-reasons.ts';

/** Units that load levels are sized in. Levels of one axis are ordered by their size. */
export const loadAxes = ['connections', 'rate', 'users'] as const;

export type LoadAxis = (typeof loadAxes)[number];

/** Kinds of load. Each is a line of `loadTraits`, and sized on one axis. */
export type LoadKind = LoadAxis | 'iterations' | 'bulk';

/** Everything that is asked of a load level, by its kind. Only `loadKind` looks at the keys of a level. */
export interface LoadTraits {
  readonly axis: LoadAxis;
  readonly unit: readonly [one: string, more: string];
  /** Sizes are counts, and no fractions. */
  readonly isWhole: boolean;
  /** Stands before the size, in keys and for people; absent where the size says enough. */
  readonly named?: { readonly key: string; readonly label: string };
  /** Arms can alternate in short turns. False where a turn would cut off a queue, or the pauses of users. */
  readonly takesTurns: boolean;
  /** The run decides how long a slice is. False where the load ends by itself, and all of it counts. */
  readonly isTimed: boolean;
  /** Arms are warmed up before it. False where the load itself begins on a cold process. */
  readonly warmsUp: boolean;
  /** Each client always waits for one answer, so the size is the number of requests under way. */
  readonly isClosedLoop: boolean;
  /** Requests are due at their times, whether earlier ones were answered or not. */
  readonly isOpenLoop: boolean;
  /** A rate that answers set is judged itself; where it is given, or users pause, latency is. */
  readonly judgedBy: 'throughput' | 'latency';
  /** Unit of work. Documents that fail are sent again, and lost only in the end; requests are not. */
  readonly counts: 'requests' | 'documents';
  /** Requests that were due and not sent show an overloaded service. A script that pauses may just lack users. */
  readonly showsOverload: boolean;
  /** Validity checks that the load fails by its nature. */
  readonly unchecked: readonly VoidReason[];
}

const closedLoop: LoadTraits = {
  axis: 'connections',
  unit: ['connection', 'connections'],
  isWhole: true,
  takesTurns: true,
  isTimed: true,
  warmsUp: true,
  isClosedLoop: true,
  isOpenLoop: false,
  judgedBy: 'throughput',
  counts: 'requests',
  showsOverload: false,
  unchecked: [],
};

const openLoop: LoadTraits = {
  ...closedLoop,
  axis: 'rate',
  unit: ['request/s', 'requests/s'],
  isWhole: false,
  takesTurns: false,
  isClosedLoop: false,
  isOpenLoop: true,
  judgedBy: 'latency',
  showsOverload: true,
};

export const loadTraits: Readonly<Record<LoadKind, LoadTraits>> = {
  connections: closedLoop,
  rate: openLoop,
  iterations: { ...openLoop, unit: ['iteration/s', 'iterations/s'], showsOverload: false },
  users: {
    ...closedLoop,
    axis: 'users',
    unit: ['user', 'users'],
    takesTurns: false,
    isClosedLoop: false,
    judgedBy: 'latency',
  },
  bulk: {
    ...closedLoop,
    named: { key: 'bulk', label: 'bulk load' },
    isTimed: false,
    warmsUp: false,
    isClosedLoop: false,
    counts: 'documents',
    // Failed documents are a result, which the report marks. Connections idle while a document waits for another one.
    unchecked: ['failed requests', 'littles law', 'connections'],
  },
};

/** Plural unit of an axis: `connections`, `requests/s`, `users`. */
export function axisUnit(axis: LoadAxis): string {
  return loadTraits[axis].unit[1];
}
