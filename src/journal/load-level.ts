import {
  type LoadAxis,
  type LoadKind,
  type LoadTraits,
  loadAxes,
  loadTraits,
  type SliceTraits,
  sliceTraits,
} from './load-traits.ts';
import type { LoadLevel, LoadSpec } from './scenario-record.ts';

/** The kind of a load level. Ask `traitsOf` what follows from it. */
export function loadKind(load: LoadLevel): LoadKind {
  return load.of ?? loadAxes.find((axis) => axis in load) ?? 'connections';
}

export function traitsOf(load: LoadLevel): LoadTraits {
  return loadTraits[loadKind(load)];
}

/** Traits of a run's slices, by the key of the scenario that ends them. */
export function sliceTraitsOf({ bounded, forMs }: Pick<LoadSpec, 'bounded' | 'forMs'>): SliceTraits {
  if (bounded !== undefined) return sliceTraits.count;
  return forMs === undefined ? sliceTraits.byClock : sliceTraits.for;
}

/** Unit of a load level's size: levels of one axis are ordered by it. */
export function loadAxis(load: LoadLevel): LoadAxis {
  return traitsOf(load).axis;
}

/** How large the load is, in `loadUnit`: what levels are ordered by, and an axis. */
export function loadSize(load: LoadLevel): number {
  const sizes: Partial<Record<LoadAxis, number>> = load;
  return sizes[loadAxis(load)] ?? 0;
}

const levelsBySize: Readonly<Record<LoadAxis, (size: number) => LoadLevel>> = {
  connections: (connections) => ({ connections }),
  rate: (rate) => ({ rate }),
  users: (users) => ({ users }),
};

/** The load level of an axis and a size. */
export function levelOf(axis: LoadAxis, size: number): LoadLevel {
  return levelsBySize[axis](size);
}

export function loadUnit(load: LoadLevel): string {
  return traitsOf(load).unit[1];
}

/** True where sizes on an axis are counts, and no fractions. */
export function isWhole(axis: LoadAxis): boolean {
  return loadTraits[axis].isWhole;
}

const keys = new WeakMap<LoadLevel, string>();

/** Key that is different for each load level. */
export function loadKey(load: LoadLevel): string {
  const before = keys.get(load);
  if (before !== undefined) return before;
  const key = [...contentOf(load, 'key'), `${loadAxis(load)}=${loadSize(load)}`].join(' ');
  keys.set(load, key);
  return key;
}

/** A load level for people: `25 connections`, `bulk load, 25 connections`, `get-documents, 25 connections`. */
export function loadLabel(load: LoadLevel): string {
  return [...contentOf(load, 'label'), sizeLabel(load)].join(', ');
}

/** The size alone: `25 connections`, `1 user`, `200 requests/s`. */
export function sizeLabel(load: LoadLevel): string {
  const size = loadSize(load);
  return `${size} ${traitsOf(load).unit[size === 1 ? 0 : 1]}`;
}

function contentOf(load: LoadLevel, form: 'key' | 'label'): string[] {
  return [traitsOf(load).named?.[form] ?? [], load.workload ?? []].flat();
}

/** Load levels of one kind and one workload differ in their size alone. */
export function differInSize(a: LoadLevel, b: LoadLevel): boolean {
  return loadKind(a) === loadKind(b) && a.workload === b.workload;
}

/** The rows of one load level. */
export function underLoad<T extends { readonly load: LoadLevel }>(rows: readonly T[], load: LoadLevel): T[] {
  return rows.filter((row) => loadKey(row.load) === loadKey(load));
}

/** Levels whose slices are as long as the run decides. */
export function timedLevels(levels: readonly LoadLevel[]): LoadLevel[] {
  return levels.filter((level) => traitsOf(level).isTimed);
}

/** Loads of requests have rates and latencies. Documents of a bulk load have a time, and their own tables. */
export function countsRequests(load: LoadLevel): boolean {
  return traitsOf(load).counts === 'requests';
}

/** True if a job runs in the slices of a load level: alone, or beside requests. */
export function runsJob(load: LoadLevel): boolean {
  const { counts, isBesideJob } = traitsOf(load);
  return counts === 'runs' || isBesideJob;
}

/** Unit that work is counted by: a request, or a run of a job. */
export function unitOfWork(loads: readonly LoadLevel[]): 'request' | 'run' {
  return loads.length > 0 && loads.every((load) => traitsOf(load).counts === 'runs') ? 'run' : 'request';
}

/** How many requests are under way at any time, where that is certain: in a closed loop without pauses. Else null. */
export function closedLoopClients(load: LoadLevel): number | null {
  return traitsOf(load).isClosedLoop ? loadSize(load) : null;
}

/**
 * How many clients begin the next request, or iteration, when the last is over. Their rate is clients x answers / the time
 * that those took. Null where that is not so.
 */
export function cyclingClients(load: LoadLevel): number | null {
  return traitsOf(load).iterates ? loadSize(load) : closedLoopClients(load);
}

/** How many requests, or runs of a job, may be under way at once, at most. */
export function mostUnderWay({ openLoop }: Pick<LoadSpec, 'openLoop'>, load: LoadLevel): number {
  // One run of a job begins when the one before it has ended.
  if (traitsOf(load).counts === 'runs') return 1;
  return openLoop !== undefined && traitsOf(load).isOpenLoop ? openLoop.inFlight : loadSize(load);
}

/** Most requests of a sustained rate that are not sent, in percent; no more than that may fail either. */
const MOST_UNSENT_PERCENT = 1;

/**
 * True if a service does not sustain a rate: too many requests came due while the most that may wait were waiting, and were
 * not sent. It is a result like any other, as long as the load generator itself was in time.
 */
export function isNotSustained(
  { unsent, requests }: { readonly unsent: number; readonly requests: number },
  load: LoadLevel,
  { maxFailedPercent = MOST_UNSENT_PERCENT }: Pick<LoadSpec, 'maxFailedPercent'>,
): boolean {
  if (!traitsOf(load).showsOverload || requests === 0) return false;
  return (100 * unsent) / requests > maxFailedPercent;
}
