import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { ServiceError } from './errors.ts';

/** How long clients that are in use may take to come back, and how often to look. */
const SHRINK_MS = 2000;
const LOOK_MS = 5;

const parked = new WeakMap<Pool, PoolClient[]>();

function parkedIn(pool: Pool): PoolClient[] {
  const clients = parked.get(pool) ?? [];
  parked.set(pool, clients);
  return clients;
}

/** How many clients requests share: those that are open, without the parked ones. */
export function openClients(pool: Pool): number {
  return pool.totalCount - parkedIn(pool).length;
}

/**
 * Changes how many clients requests may share. What is too many is parked and not closed: a pool that grows again has
 * sessions with their statements prepared, as it has when it is never changed, and not for its first second new ones.
 * Throws a 409 where clients are in use that would have to go; the pool is then as it was.
 */
export async function resizePool(pool: Pool, max: number): Promise<void> {
  const clients = parkedIn(pool);
  const before = pool.options.max - clients.length;
  const allow = (count: number): void => {
    while (clients.length > 0 && openClients(pool) < count) clients.pop()?.release();
    pool.options.max = count + clients.length;
  };
  allow(max);
  const end = performance.now() + SHRINK_MS;
  while (openClients(pool) > max) {
    if (pool.idleCount > 0 && pool.waitingCount === 0) {
      clients.push(await pool.connect());
      pool.options.max = max + clients.length;
    } else if (performance.now() < end) await sleep(LOOK_MS);
    else {
      allow(before);
      throw new ServiceError(409, 'pool_in_use', `More than ${max} clients of the pool are in use; try again later`);
    }
  }
}

/** Ends a pool, whose parked clients it would wait for. */
export async function endPool(pool: Pool): Promise<void> {
  for (const client of parkedIn(pool).splice(0)) client.release();
  await pool.end();
}
