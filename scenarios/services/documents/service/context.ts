import type { Pool } from 'pg';
import type { ServiceConfig } from './config.ts';
import type { LiveSettings } from './live-settings.ts';
import type { Metrics } from './metrics.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Statements } from './statements.ts';

/** Everything that a request's handler needs. */
export interface ServiceContext {
  readonly config: ServiceConfig;
  readonly pool: Pool;
  /** As the settings are now. */
  readonly statements: Statements;
  readonly live: LiveSettings;
  readonly metrics: Metrics;
  /** Null where SEARCH_MODE is off. */
  readonly search: SearchIndex | null;
}
