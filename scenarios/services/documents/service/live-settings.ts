import type { Pool } from 'pg';
import { z } from 'zod';
import type { ServiceConfig } from './config.ts';
import { ServiceError } from './errors.ts';
import { lockModes } from './lock-mode.ts';
import { openClients, resizePool } from './pool-size.ts';
import { createStatements, type Statements } from './statements.ts';

const lockMode = z.enum(lockModes).optional();

const changes = z.strictObject({
  poolMax: z.int().min(1).max(1000).optional(),
  lockByDocumentUuid: lockMode,
  lockByDocumentId: lockMode,
  lockReferences: lockMode,
});

type Changeable = Pick<ServiceConfig, 'poolMax' | 'lockByDocumentUuid' | 'lockByDocumentId' | 'lockReferences'>;

/** Settings that can be changed while the service runs. */
export interface LiveSettings {
  /** As they are now. */
  readonly statements: Statements;
  read(): Changeable & { readonly poolOpen: number };
  /**
   * Takes over the settings that are named. Resolves once requests share no more clients than the pool may have. Throws a 400
   * for what is none of them, and a 409 where clients are in use that would have to go; the pool is then as it was.
   */
  change(wanted: unknown): Promise<void>;
}

export function createLiveSettings(config: ServiceConfig, pool: Pool): LiveSettings {
  let now = config;
  let statements = createStatements(config);
  return {
    get statements() {
      return statements;
    },
    read() {
      const { poolMax, lockByDocumentUuid, lockByDocumentId, lockReferences } = now;
      return { poolMax, lockByDocumentUuid, lockByDocumentId, lockReferences, poolOpen: openClients(pool) };
    },
    async change(wanted) {
      const parsed = changes.safeParse(wanted);
      if (!parsed.success) {
        const found = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
        throw new ServiceError(400, 'invalid_settings', found.join('; '));
      }
      const named = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
      const next = { ...now, ...Object.fromEntries(named) };
      await resizePool(pool, next.poolMax);
      now = next;
      statements = createStatements(next);
    },
  };
}
