import { countsRequests } from '../../../journal/load-level.ts';
import { short } from '../../format.ts';
import type { CellDetail } from '../../read/cells/cell-detail.ts';
import { type ProbeValues, probeValue } from '../../read/metrics/metric-aliases.ts';
import { sum } from '../../stats/moments.ts';
import type { CrossCheck } from '../cross-check.ts';
import { type DiagnosedCell, serviceBusy, withClients } from '../diagnosed-cell.ts';
import { isPoolerWaitedFor, poolerOf } from '../pooler.ts';
import { isMachineFull } from '../saturation.ts';
import { BUSY, FULL_SHARE, IDLE_SHARE, sizeShown } from '../shared-connection.ts';
import { eachInWords, poolSizeOf } from './pool-unused.ts';

/** The least number of waiting requests, on average: fewer wait just for the moment that taking a connection takes. */
const LEAST_WAITING = 1;
/** A queue twice as long as somewhere else has grown: two healthy arms under the same load differ by less. */
const GROWN = 2;

/**
 * Requests wait for a connection though Postgres has little to do: connections are leaked, or held without need. Where
 * the control, fewer clients or earlier slices of the same arms waited less, it says that the wait has grown, and since when.
 */
export const poolWaits: CrossCheck = {
  name: 'pool-waits-while-postgres-idles',
  queue: 'pool',
  symptomIn(cell) {
    const seen = waits(cell);
    if (seen === null || seen.working > IDLE_SHARE * seen.size || comesInBursts(cell, seen.size)) return null;
    const grown = growthOf(cell, seen.waiting);
    const since = grown.length === 0 ? 'requests wait' : `requests wait (${grown.join(', ')})`;
    const taken = probeValue(cell.values, 'poolMostInUse');
    const inUse = taken === null ? '' : `, up to ${short(taken)} are taken`;
    return {
      text: `${short(seen.waiting)} ${since} for one of ${short(seen.size)} connections${eachInWords(cell, seen.size)}${inUse}, and Postgres works on ${short(seen.working)} of them`,
      next: 'Look for a client that is not released on some path (an error, an early return), or held while the service waits for something else.',
      weight: 75,
    };
  },
};

/** Requests wait for a connection, all connections work, and Postgres could do more. */
export const poolTooSmall: CrossCheck = {
  name: 'pool-too-small',
  queue: 'pool',
  symptomIn(cell) {
    const seen = waits(cell);
    if (seen === null || seen.working < FULL_SHARE * seen.size) return null;
    const cores = probeValue(cell.values, 'postgresCores');
    if (cores === null || cores >= BUSY * cell.cpuCount || waitsInside(cell.values) >= IDLE_SHARE) return null;
    // There a connection that seems to work may well wait for a CPU.
    if (isMachineFull(cell)) return null;
    return {
      text: `all ${short(seen.size)} connections${eachInWords(cell, seen.size)} work and ${short(seen.waiting)} requests wait for one, while Postgres uses ${short(cores)} of ${cell.cpuCount} cores`,
      next: `${eachInWords(cell, seen.size) === '' ? 'Try a larger pool' : 'Try larger pools, or more instances'}${roomInWords(cell, seen.size)}.`,
      weight: 60,
    };
  },
};

/** The share of the busy connections that wait inside of Postgres: each waits for one thing at a time. */
function waitsInside(values: ProbeValues): number {
  const shares = (['lockWaitShare', 'lightLockWaitShare', 'ioWaitShare'] as const).map((one) =>
    probeValue(values, one),
  );
  return sum(shares.map((share) => share ?? 0));
}

/** The connections that a pooler before the database has for a larger pool; empty where there is none, or it has no more. */
function roomInWords({ scenario, variant }: DiagnosedCell, size: number): string {
  const pooler = poolerOf(scenario, variant);
  return pooler === null || pooler.size <= size ? '' : `: PgBouncer has ${short(pooler.size)} connections for it`;
}

/**
 * Null where no request waits, where that is unknown, and where the service itself is too busy, or waits for its pooler
 * (pooler.ts).
 */
function waits(cell: DiagnosedCell): { size: number; waiting: number; working: number } | null {
  const { values, load } = cell;
  const size = poolSizeOf(cell);
  const waiting = probeValue(values, 'poolWaits');
  const busy = probeValue(values, 'busyConnections');
  if (size === null || waiting === null || busy === null || !countsRequests(load) || isPoolerWaitedFor(values))
    return null;
  if (waiting < LEAST_WAITING || (serviceBusy(cell) ?? 0) >= BUSY) return null;
  return { size, waiting, working: busy - (probeValue(values, 'idleInTransaction') ?? 0) };
}

/**
 * True where requests come in bursts, as from a batch that is answered. A client that always waits for a connection
 * finds nearly all of them taken (0.8 of 10 for a queue of one, by M/M/c). If fewer are taken, no one holds what the
 * burst waits for. Connections that leak one by one are not all taken at first either, but there the queue grows.
 */
function comesInBursts({ values, detail }: DiagnosedCell, size: number): boolean {
  const taken = probeValue(values, 'poolTaken');
  return taken !== null && taken < FULL_SHARE * sizeShown(values, size) && !growsInRound(detail.waiting);
}

function growsInRound({ rounds, first, last }: CellDetail['waiting']): boolean {
  return rounds > 0 && last >= GROWN * first && last >= LEAST_WAITING * rounds;
}

/** Against what the queue has grown, each with its length there. */
function growthOf({ control, lightest, detail }: DiagnosedCell, waiting: number): string[] {
  const { rounds, first, last } = detail.waiting;
  const ofControl = control === null ? null : probeValue(control.values, 'poolWaits');
  const ofFewest = lightest === null ? null : probeValue(lightest.values, 'poolWaits');
  return [
    ...(ofControl !== null && waiting >= GROWN * ofControl ? [`control ${short(ofControl)}`] : []),
    ...(lightest !== null && ofFewest !== null && waiting >= GROWN * ofFewest
      ? [`${short(ofFewest)} ${withClients(lightest.load)}`]
      : []),
    ...(growsInRound(detail.waiting)
      ? [`${short(first / rounds)} in a round's first slice, ${short(last / rounds)} in its last`]
      : []),
  ];
}
