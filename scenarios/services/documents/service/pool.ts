import pg from 'pg';
import { sessionSettings as settings } from '../model/service-facts.ts';
import type { ServiceConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { databaseUnavailable } from './errors.ts';
import { warn } from './warn.ts';

/**
 * A prepared statement keeps its plan while the tables grow, and one that was planned when they were small would scan
 * them for ever: measured, a third of the throughput after 7,000 inserts. So an index is used wherever there is one.
 * A bitmap scan, unlike an index scan, never marks the entries of dead rows: measured, 1,720 entries read for 21 rows
 * after a minute of updates, in some starts of the service and not in others.
 * Where there is no index, the scan's cost looks enormous, and Postgres would compile every statement just in time.
 */
const sessionSettings = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Creates the pool. It connects only when it is asked for a client. */
export function createPool(config: ServiceConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: config.databaseUrl,
    application_name: 'pgsweep-service',
    options: sessionSettings,
    max: config.poolMax,
    // Statements that do not wait for each other's answers go out together: see cork-until-next-tick.ts.
    pipeline: true,
    // Clients stay: to connect again after a pause would be measured as a slow request.
    idleTimeoutMillis: 0,
  });
  pool.on('error', (error) => warn(`an idle database connection was lost: ${error.message}`));
  // While a client is checked out, the pool does not listen to it, and an error event nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', ignore));
  if (!config.prepared) pool.on('connect', dropNames);
  return pool;
}

/**
 * Has a client send its statements without their names: a pooler between it and Postgres may give each transaction to
 * another connection, which does not know them.
 */
function dropNames(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const unnamed = (first: unknown, ...others: unknown[]): unknown =>
    query(
      typeof first === 'object' && first !== null ? Object.create(first, { name: { value: undefined } }) : first,
      ...others,
    );
  Object.assign(client, { query: unnamed });
}

/** Takes a client from the pool and records how long that took. The caller must release it. */
export async function acquire(service: ServiceContext): Promise<pg.PoolClient> {
  const startMs = performance.now();
  try {
    return await service.pool.connect();
  } catch (error) {
    throw databaseUnavailable(error);
  } finally {
    service.metrics.observeAcquire((performance.now() - startMs) / 1000);
  }
}

/** The query that is running, or the next one, rejects with the same error, and it is answered there. */
function ignore(): void {}
