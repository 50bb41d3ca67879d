import type { StackKind, StackServers } from '../kind.ts';
import { everyPostgres } from './find-binaries.ts';
import { startEmbeddedOpenSearch } from './opensearch.ts';
import { prepareEmbeddedPostgres, startEmbeddedPostgres } from './postgres.ts';

const servers: StackServers = {
  startPostgres: startEmbeddedPostgres,
  preparePostgres: prepareEmbeddedPostgres,
  startOpenSearch: startEmbeddedOpenSearch,
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
