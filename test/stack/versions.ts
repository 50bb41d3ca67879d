import { messageOf } from '../../src/base/errors.ts';
import { startReaper } from '../../src/base/reaper.ts';
import type { PostgresBinaries } from '../../src/stack/postgres.ts';
import { havePostgresVersion } from '../../src/stack/postgres-set-up.ts';

/** Those that the bench supports. */
export const postgresVersions = ['13', '14', '15', '16', '17', '18'] as const;

export type PostgresVersion = (typeof postgresVersions)[number];

const reaper = startReaper();
const onProgress = (message: string): void => console.error(message);
const having = postgresVersions.map((version) =>
  havePostgresVersion(version, { reaper, env: process.env, onProgress, signal: undefined }).catch(messageOf),
);
const had = new Map<PostgresVersion, PostgresBinaries | string>();
for (const [index, found] of (await Promise.all(having)).entries()) had.set(postgresVersions[index] ?? '13', found);
await reaper.close();

/** The programs of a version. Throws where there are none: ask `whyNoVersion` before. */
export function binariesOf(version: PostgresVersion): PostgresBinaries {
  const found = had.get(version);
  if (typeof found === 'object') return found;
  throw new Error(found);
}

/** Why tests with a version cannot run here; null where they can. */
export function whyNoVersion(version: PostgresVersion): string | null {
  return typeof had.get(version) === 'string' ? `skipped: no Postgres ${version}, and npm fetches none` : null;
}

/** The name of a group of tests that need a version, with the reason where it is skipped. */
export function needsVersion(name: string, version: PostgresVersion): string {
  const why = whyNoVersion(version);
  return why === null ? name : `${name} (${why})`;
}
