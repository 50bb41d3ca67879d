import { describe } from 'vitest';
import { needs } from '../../support/needs.ts';
import { type PostgresVersion, postgresVersions } from '../../support/things.ts';
import { withPostgres } from '../stack/postgres.ts';
import { createProbed, type Probed } from './probed.ts';

const having = await Promise.all(
  postgresVersions.map(async (version) => ({ version, needed: await needs(`postgres-${version}`) })),
);

/** Describes the same for every version that the bench supports. */
export function describeEveryVersion(name: string, tests: (probed: Probed, version: PostgresVersion) => void) {
  for (const { version, needed } of having) {
    describe(`${name}, Postgres ${version}`, needed.orSkip, () => {
      const binaries = needed.isHere ? { binaries: needed.has } : {};
      tests(createProbed(withPostgres({ preload: ['pg_stat_statements'], ...binaries })), version);
    });
  }
}
