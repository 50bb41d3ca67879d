import type { StackKind, StackServers } from '../kind.ts';
import { everyPostgres } from './find-binaries.ts';

/** Loaded with the first server: `--help` names the kinds too, and starts none. */
const servers: StackServers = {
  preparePostgres: async (options) => (await import('./postgres.ts')).prepareEmbeddedPostgres(options),
  startOpenSearch: async (options) => (await import('./opensearch.ts')).startEmbeddedOpenSearch(options),
};

/** Programs of this machine, or fetched once. */
export const embedded: StackKind = {
  own: true,
  contained: false,
  costs: { start: 600, copy: 400, restart: 120, openSearch: 7000 },
  versionOf: ({ version, image }) =>
    image === undefined ? (version ?? everyPostgres().next().value?.version ?? null) : null,
  open: async () => servers,
  offer: async (_needs, before) => ({ servers, reason: before }),
};
