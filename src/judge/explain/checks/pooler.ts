import { poolSizeIn } from '../../../journal/pool-size.ts';
import { variantNamed } from '../../../journal/scenario-record.ts';
import { short } from '../../format.ts';
import { probeValue } from '../../read/metrics/metric-aliases.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';
import { clientsWait, isPoolerWaitedFor, poolerOf } from '../pooler.ts';
import { isMachineFull, NEAR_LIMIT } from '../saturation.ts';
import { BUSY, FULL_SHARE, IDLE_SHARE } from '../shared-connection.ts';

/** Clients wait for a connection of the pooler while all of them work, and Postgres could do more. */
export const poolerTooSmall: CrossCheck = {
  name: 'pooler-too-small',
  queue: 'pooler',
  symptomIn(cell) {
    const seen = waits(cell);
    if (seen === null || seen.working < FULL_SHARE * seen.size || isMachineFull(cell)) return null;
    const cores = probeValue(cell.values, 'postgresCores');
    if (cores === null || cores >= BUSY * cell.cpuCount) return null;
    return {
      text: `all ${short(seen.size)} connections of PgBouncer work and ${waitInWords(cell, seen.waiting)}, while Postgres uses ${short(cores)} of ${cell.cpuCount} cores`,
      next: `Try a larger ${seen.by} of PgBouncer${seen.pool === null ? '' : `; the service's pool of ${seen.pool} is not what limits it`}.`,
      weight: 62,
    };
  },
};

/** Clients wait for a connection of the pooler, and most of those that are taken do nothing. */
export const poolerHeld: CrossCheck = {
  name: 'pooler-connections-held',
  queue: 'pooler',
  symptomIn(cell) {
    const seen = waits(cell);
    if (seen === null || seen.taken < FULL_SHARE * seen.size || seen.working > IDLE_SHARE * seen.size) return null;
    const isSession = seen.mode === 'session';
    const pool = seen.pool === null ? '' : ` of the service's pool of ${seen.pool}`;
    return {
      text: `${short(seen.taken)} of ${short(seen.size)} connections of PgBouncer are taken and Postgres works on ${short(seen.working)}, while ${waitInWords(cell, seen.waiting)}`,
      next: isSession
        ? `In session mode each connection${pool} keeps one of PgBouncer's as long as it is open: make that pool no larger, or use transaction mode.`
        : 'Look for transactions that stay open while the service does something else.',
      weight: 76,
    };
  },
};

/** PgBouncer has one thread, and that has no time left. */
export const poolerBusy: CrossCheck = {
  name: 'pooler-busy',
  queue: 'pooler cpu',
  symptomIn({ values }) {
    const cores = probeValue(values, 'poolerCores');
    if (cores === null || cores < NEAR_LIMIT) return null;
    return {
      text: `PgBouncer uses ${short(cores)} of the one core that it can use`,
      next: 'Several PgBouncers on one port (so_reuseport) share the work; fewer and larger statements make less of it.',
      weight: 72,
    };
  },
};

interface PoolerWaits {
  readonly mode: string;
  /** How many connections it may have. */
  readonly size: number;
  /** The key or setting that says so. */
  readonly by: string;
  /** The service's own pool; null where the scenario does not say. */
  readonly pool: number | null;
  readonly waiting: number;
  readonly taken: number;
  /** In transactions, less those that are idle in theirs. */
  readonly working: number;
}

/** Null where no client waits, or it is not known. */
function waits(cell: DiagnosedCell): PoolerWaits | null {
  const { values, scenario, variant } = cell;
  const pooler = poolerOf(scenario, variant);
  const waiting = probeValue(values, 'poolerWaits');
  const inTransaction = probeValue(values, 'poolerInTransaction');
  if (pooler === null || waiting === null || inTransaction === null || !isPoolerWaitedFor(values)) return null;
  return {
    ...pooler,
    pool: poolSizeIn(scenario, variantNamed(scenario, variant)),
    waiting,
    taken: probeValue(values, 'poolerTaken') ?? inTransaction,
    working: inTransaction - (probeValue(values, 'idleInTransaction') ?? 0),
  };
}

/** `12.1 clients wait for one (3.4 ms a transaction)`; waits that do not end are no part of a transaction. */
function waitInWords({ values }: DiagnosedCell, waiting: number): string {
  const each = probeValue(values, 'poolerWaitMs') ?? 0;
  return `${clientsWait(short(waiting))} for one${each === 0 ? '' : ` (${short(each)} ms a transaction)`}`;
}
