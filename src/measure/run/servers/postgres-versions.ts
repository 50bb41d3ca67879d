import { hasPostgres, needsPostgres } from '../../../journal/link/own-database.ts';
import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { releaseOf } from '../../stack/common/postgres.ts';
import { findPostgresVersion } from '../../stack/embedded/find-binaries.ts';
import { stackKinds } from '../../stack/kinds.ts';
import type { PostgresFacts } from '../provenance.ts';

/** The versions that a run without containers would have npm fetch before anything else. Starts and fetches nothing. */
export function versionsToFetch({ stack, target, variants }: ResolvedScenario): string[] {
  if (!needsPostgres({ target, variants })) return [];
  const releases = variants.filter(hasPostgres).map(({ treatment }) => releaseOf(stack.postgres, treatment?.postgres));
  const versions = releases.flatMap(({ version, image, stack: kind }) =>
    version === undefined || image !== undefined || (kind !== undefined && stackKinds[kind].contained) ? [] : [version],
  );
  return [...new Set(versions)].filter((version) => !('binaries' in findPostgresVersion(version)));
}

/**
 * Note on servers of several versions that were built differently: Debian's Postgres and npm's differ in compiler and options
 * too. Undefined where there is nothing to note.
 */
export function buildsNote(
  servers: readonly Pick<PostgresFacts, 'kind' | 'version' | 'binaries'>[],
): string | undefined {
  const embedded = servers.filter(({ kind }) => kind === 'embedded');
  const byNpm = embedded.filter(({ binaries }) => binaries.startsWith('npm '));
  const versions = new Set(embedded.map(({ version }) => version));
  if (versions.size < 2 || byNpm.length === 0 || byNpm.length === embedded.length) return undefined;
  const builds = embedded.map(({ version, binaries }) => `${version} (${binaries})`).join(', ');
  return `these Postgres differ in how they were built too, not in version alone: ${builds}`;
}

/**
 * Why the counters of a slice cannot be distinguished from its neighbours'; null where they can, on servers that all report
 * after a pause. `versions` is null where the service has its own database.
 */
export function whyNoCounters(versions: readonly string[] | null): string | null {
  if (versions === null) return 'the service has its own database';
  const old = versions.find((version) => Number.parseInt(version, 10) < 15);
  return old === undefined ? null : `Postgres ${old} keeps the counters of idle connections to itself`;
}
