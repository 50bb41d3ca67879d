import type { Pool } from 'pg';
import type { ServiceConfig } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { Statements } from './statements.ts';

/** What every request needs. */
export interface ServiceContext {
  readonly config: ServiceConfig;
  readonly pool: Pool;
  readonly statements: Statements;
  readonly metrics: Metrics;
}
