import { expect, it } from 'vitest';
import { postgresVersions, whyNoVersion } from './versions.ts';

it.runIf(process.env.PGSWEEP_TEST_REQUIRE_VERSIONS)('in CI no version of Postgres is skipped', () => {
  expect(postgresVersions.map(whyNoVersion)).toEqual(postgresVersions.map(() => null));
});
