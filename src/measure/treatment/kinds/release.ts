import { z } from 'zod';
import { name, strict, versionLike, withoutUndefined } from '../../../base/schema-values.ts';
import type { PostgresRelease } from '../../../journal/scenario-record.ts';
import type { TreatmentKind } from '../kind.ts';
import { requireSeen } from '../sql.ts';

/** Which Postgres, of the stack or of a variant. */
export const releaseShape = {
  version: versionLike(/^\d+(\.\d+)?$/, '17 or 17.2')
    .optional()
    .describe('such as 17; of a container, or among the Postgres of this machine, else fetched by npm'),
  image: name.optional().describe('the image of its container, such as percona/percona-distribution-postgresql:17'),
};

const schema = strict({
  ...releaseShape,
  stack: z.enum(['docker', 'embedded']).optional().describe('where this server comes from, whatever the others do'),
})
  .optional()
  .describe('another Postgres for this variant; each arm then has its own server');

/** The server is there before the database is: nothing is applied, only looked at. */
export const release: TreatmentKind<'postgres', typeof schema> = {
  schema,
  notLive: 'another Postgres is another server',
  read(written) {
    if (written === undefined || Object.keys(written).length === 0) return undefined;
    const { version, ...rest } = written;
    return withoutUndefined({ ...rest, version });
  },
  steps: (asked) =>
    releaseWords(asked).map((words) => ({
      words,
      apply: async () => async (look) => {
        const [row] = await look('SHOW server_version');
        const shown = String(row?.server_version).split(' ')[0] ?? '';
        const { version, image } = asked;
        // An image is what it is, whatever version was named beside it.
        const right =
          version === undefined || image !== undefined || shown === version || shown.startsWith(`${version}.`);
        requireSeen(right, `the server is Postgres ${shown}, and ${version} was asked for`);
        const [found = ''] = releaseWords({ ...asked, version: shown });
        return { kind: 'server', name: 'postgres', found };
      },
    })),
};

/** `Postgres 15 (own server)`; empty for that of the stack. */
export function releaseWords({ version, image, stack }: PostgresRelease = {}): string[] {
  const what = [
    ...(version === undefined ? [] : [`Postgres ${version}`]),
    ...(image === undefined ? [] : [`image ${image}`]),
    ...(stack === undefined ? [] : [`stack ${stack}`]),
  ];
  return what.length === 0 ? [] : [`${what.join(', ')} (own server)`];
}
