import type { Pool } from 'pg';
import type { ServiceConfig } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Statements } from './statements.ts';

/** What every request needs. */
export interface ServiceContext {
  readonly config: ServiceConfig;
  readonly pool: Pool;
  readonly statements: Statements;
  readonly metrics: Metrics;
  /** Null where SEARCH_MODE is off. */
  readonly search: SearchIndex | null;
}
