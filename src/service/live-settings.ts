import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { ServiceConfig } from './config.ts';
import { ServiceError } from './errors.ts';
import { lockModes } from './lock-mode.ts';
import { createStatements, type Statements } from './statements.ts';

const lockMode = z.enum(lockModes).optional();

const changes = z.strictObject({
  poolMax: z.int().min(1).max(1000).optional(),
  lockByDocumentUuid: lockMode,
  lockByDocumentId: lockMode,
  lockReferences: lockMode,
});

type Changeable = Pick<ServiceConfig, 'poolMax' | 'lockByDocumentUuid' | 'lockByDocumentId' | 'lockReferences'>;

/** What can be changed while the service runs. */
export interface LiveSettings {
  /** As they are now. */
  readonly statements: Statements;
  read(): Changeable & { readonly poolOpen: number };
  /**
   * Takes over the settings that are named. Resolves once no more clients are open than the pool may have. Throws a 400
   * for what is none of them, and a 409 where clients are in use that would have to go; the pool is then as it was.
   */
  change(wanted: unknown): Promise<void>;
}

/** How long clients that are in use may take to come back, and how often to look. */
const SHRINK_MS = 2000;
const LOOK_MS = 5;

export function createLiveSettings(config: ServiceConfig, pool: Pool): LiveSettings {
  let now = config;
  let statements = createStatements(config);
  return {
    get statements() {
      return statements;
    },
    read() {
      const { poolMax, lockByDocumentUuid, lockByDocumentId, lockReferences } = now;
      return { poolMax, lockByDocumentUuid, lockByDocumentId, lockReferences, poolOpen: pool.totalCount };
    },
    async change(wanted) {
      const parsed = changes.safeParse(wanted);
      if (!parsed.success) {
        const found = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
        throw new ServiceError(400, 'invalid_settings', found.join('; '));
      }
      const named = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
      const next = { ...now, ...Object.fromEntries(named) };
      await resize(pool, next.poolMax);
      now = next;
      statements = createStatements(next);
    },
  };
}

/** Closes the clients that are more than there may be, idle ones first. */
async function resize(pool: Pool, max: number): Promise<void> {
  const before = pool.options.max;
  pool.options.max = max;
  const end = performance.now() + SHRINK_MS;
  while (pool.totalCount > max) {
    if (pool.idleCount > 0 && pool.waitingCount === 0) (await pool.connect()).release(true);
    else if (performance.now() < end) await sleep(LOOK_MS);
    else {
      pool.options.max = before;
      throw new ServiceError(409, 'pool_in_use', `More than ${max} clients of the pool are in use; try again later`);
    }
  }
}
