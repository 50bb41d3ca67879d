import type { Pool, PoolClient } from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { watchEventLoop } from './event-loop.ts';
import { openClients } from './pool-size.ts';
import type { ConflictReason } from './write/conflict.ts';
import { conflictReasons } from './write/conflict.ts';

/** From half a millisecond to ten seconds. */
export const durationBucketsSeconds = [
  0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Counters and timers of the service. Each service has its own registry, so two can run in one process. */
export interface Metrics {
  readonly registry: Registry;
  observeRequest(method: string, route: string, statusCode: number, seconds: number): void;
  observeAcquire(seconds: number): void;
  countConflict(reason: ConflictReason): void;
  countRetry(): void;
  /** A request has come; the function that is returned says that it has gone, one way or another. */
  beginRequest(): () => void;
  /** Stops what is measured by timers. */
  close(): void;
}

/** Creates the metrics of a service and of its pool. */
export function createMetrics(pool: Pool): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addPoolGauges(pool, registers);
  timeHolding(pool, registers);
  const unwatch = watchEventLoop(registers);
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by method, route and status code.',
    labelNames: ['method', 'route', 'status_code'] as const,
    buckets: durationBucketsSeconds,
    registers,
  });
  const acquires = new Histogram({
    name: 'pg_pool_acquire_seconds',
    help: 'Time that a request waited for a client of the pool, connecting included.',
    buckets: durationBucketsSeconds,
    registers,
  });
  const conflicts = new Counter({
    name: 'lock_conflicts_total',
    help: 'Write transactions that were rolled back since another one got in their way, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  const retries = new Counter({
    name: 'lock_retries_total',
    help: 'Write transactions that were started again after a conflict.',
    registers,
  });
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that have come and are not yet answered, but for those for metrics.',
    registers,
  });
  // A counter that appears only with its first conflict looks the same as one that is not there.
  for (const reason of conflictReasons) conflicts.inc({ reason }, 0);
  return {
    registry,
    observeRequest: (method, route, statusCode, seconds) =>
      requests.observe({ method, route, status_code: statusCode }, seconds),
    observeAcquire: (seconds) => acquires.observe(seconds),
    countConflict: (reason) => conflicts.inc({ reason }),
    countRetry: () => retries.inc(),
    beginRequest() {
      inFlight.inc();
      return () => inFlight.dec();
    },
    close: unwatch,
  };
}

/** Makes gauges that are read when somebody reads the metrics. */
export function gaugesIn(registers: Registry[]): (name: string, help: string, read: () => number) => void {
  return (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
}

function addPoolGauges(pool: Pool, registers: Registry[]): void {
  const gauge = gaugesIn(registers);
  gauge('pg_pool_total', 'Clients of the pool, idle ones included.', () => openClients(pool));
  gauge('pg_pool_idle', 'Clients of the pool that are idle.', () => pool.idleCount);
  gauge('pg_pool_in_use', 'Clients of the pool that are not idle.', () => openClients(pool) - pool.idleCount);
  gauge('pg_pool_waiting', 'Requests that wait for a client of the pool.', () => pool.waitingCount);
  gauge('pg_pool_max', 'How many clients the pool may have.', () => pool.options.max);
}

/** The sum grows by as many seconds a second as clients are in use on average: what a gauge can only guess at. */
function timeHolding(pool: Pool, registers: Registry[]): void {
  const held = new Histogram({
    name: 'pg_pool_held_seconds',
    help: 'Time from taking a client from the pool to giving it back.',
    buckets: durationBucketsSeconds,
    registers,
  });
  const since = new WeakMap<PoolClient, number>();
  pool.on('acquire', (client) => since.set(client, performance.now()));
  pool.on('release', (_error, client) => {
    const start = since.get(client);
    if (start !== undefined) held.observe((performance.now() - start) / 1000);
  });
}
