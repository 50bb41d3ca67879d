import type { LoadLevel, LoadSpec } from './scenario-record.ts';

/** What the size of a load level is. */
export type LoadKind = 'connections' | 'rate' | 'users';

export function loadKind(load: LoadLevel): LoadKind {
  if ('rate' in load) return 'rate';
  return 'users' in load ? 'users' : 'connections';
}

/** How large the load is, in `loadUnit`: what levels are ordered by, and an axis. */
export function loadSize(load: LoadLevel): number {
  if ('rate' in load) return load.rate;
  return 'users' in load ? load.users : load.connections;
}

/** The load level of a kind and a size. */
export function levelOf(kind: LoadKind, size: number): LoadLevel {
  if (kind === 'rate') return { rate: size };
  return kind === 'users' ? { users: size } : { connections: size };
}

const units = {
  connections: ['connection', 'connections'],
  rate: ['request/s', 'requests/s'],
  iterations: ['iteration/s', 'iterations/s'],
  users: ['user', 'users'],
} as const satisfies Record<LoadKind | 'iterations', readonly [one: string, more: string]>;

type Units = (typeof units)[keyof typeof units];

function unitsOf(load: LoadLevel): Units {
  return units['rate' in load && load.of !== undefined ? load.of : loadKind(load)];
}

export function loadUnit(load: LoadLevel): Units[1] {
  return unitsOf(load)[1];
}

/** Tells load levels apart. */
export function loadKey(load: LoadLevel): string {
  return [...contentOf(load, 'bulk'), `${loadKind(load)}=${loadSize(load)}`].join(' ');
}

/** A load level for people: `25 connections`, `bulk load, 25 connections`, `get-documents, 25 connections`. */
export function loadLabel(load: LoadLevel): string {
  return [...contentOf(load, 'bulk load'), sizeLabel(load)].join(', ');
}

/** The size alone: `25 connections`, `1 user`, `200 requests/s`. */
export function sizeLabel(load: LoadLevel): string {
  const size = loadSize(load);
  return `${size} ${unitsOf(load)[size === 1 ? 0 : 1]}`;
}

function contentOf({ bulk, workload }: LoadLevel, bulkName: string): string[] {
  return [...(bulk ? [bulkName] : []), ...(workload === undefined ? [] : [workload])];
}

/** The rows of one load level. */
export function underLoad<T extends { readonly load: LoadLevel }>(rows: readonly T[], load: LoadLevel): T[] {
  return rows.filter((row) => loadKey(row.load) === loadKey(load));
}

/** How many requests are under way at any time, where that is certain: in a closed loop without pauses. Else null. */
export function closedLoopClients(load: LoadLevel): number | null {
  return 'connections' in load && !load.bulk ? load.connections : null;
}

/** How many requests may be under way at once, at most. */
export function mostUnderWay({ openLoop }: Pick<LoadSpec, 'openLoop'>, load: LoadLevel): number {
  return openLoop !== undefined && 'rate' in load ? openLoop.inFlight : loadSize(load);
}

/** More of what was due than this, in percent, is not sent: a service bears a rate where no more fail, either. */
const MOST_UNSENT_PERCENT = 1;

/**
 * Whether a service does not bear a rate: of so many requests, so many came due while as many as may be waited for their
 * answer, and were not sent. It is a result as any other, where the load generator itself was in time. Of iterations of a k6
 * script nothing is said: a script that pauses may need more users than it has.
 */
export function isNotBorne(
  { unsent, requests }: { readonly unsent: number; readonly requests: number },
  load: LoadLevel,
  { maxFailedPercent = MOST_UNSENT_PERCENT }: Pick<LoadSpec, 'maxFailedPercent'>,
): boolean {
  if (!('rate' in load) || load.of !== undefined || requests === 0) return false;
  return (100 * unsent) / requests > maxFailedPercent;
}
