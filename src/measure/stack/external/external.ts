import { PgsweepError } from '../../../base/errors.ts';
import type { StackKind } from '../kind.ts';

/** Servers that already run. Their clients are loaded with the first: `--help` names the kinds too. */
export const external: StackKind = {
  own: false,
  contained: false,
  costs: { start: 0, copy: 0, restart: 0, openSearch: 0 },
  versionOf: () => null,
  open: async ({ postgresUrl, openSearchUrl }) => ({
    async preparePostgres({ reaper }) {
      const url = given(postgresUrl, 'Postgres', 'DATABASE_URL');
      const { openExternalPostgres } = await import('./postgres.ts');
      return {
        start: (start) => openExternalPostgres(url, { reaper, ...start }),
        async copy() {
          throw new PgsweepError('scenario', "a Postgres server that is not the bench's cannot be started again", {
            hint: 'Remove what needs its own server, or use --stack embedded or docker.',
          });
        },
        async remove() {},
      };
    },
    async startOpenSearch(options) {
      const { openExternalOpenSearch } = await import('./opensearch.ts');
      return openExternalOpenSearch(given(openSearchUrl, 'OpenSearch', 'OPENSEARCH_URL'), options);
    },
  }),
};

function given(url: string | undefined, server: 'Postgres' | 'OpenSearch', variable: string): string {
  if (url !== undefined) return url;
  throw new PgsweepError('usage', `--stack external needs the URL of ${server}`, {
    hint: `Give it by --${server.toLowerCase()} URL, or as ${variable}.`,
  });
}
