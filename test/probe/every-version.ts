import { describe } from 'vitest';
import { withPostgres } from '../stack/postgres.ts';
import { binariesOf, needsVersion, type PostgresVersion, postgresVersions, whyNoVersion } from '../stack/versions.ts';
import { createProbed, type Probed } from './probed.ts';

/** Describes the same for every version that the bench supports. */
export function describeEveryVersion(name: string, tests: (probed: Probed, version: PostgresVersion) => void) {
  for (const version of postgresVersions) {
    const why = whyNoVersion(version);
    describe.skipIf(why !== null)(needsVersion(`${name}, Postgres ${version}`, version), () => {
      const binaries = why === null ? { binaries: binariesOf(version) } : {};
      tests(createProbed(withPostgres({ preload: ['pg_stat_statements'], ...binaries })), version);
    });
  }
}
