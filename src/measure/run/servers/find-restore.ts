import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PgsweepError } from '../../../base/errors.ts';
import type { FindRestore, RestoreTool } from '../../dataset/restore-dump.ts';
import type { StartedPostgres } from '../../stack/common/postgres.ts';
import { query } from '../../stack/common/query.ts';
import { docker } from '../../stack/docker/engine.ts';
import { everyPostgres } from '../../stack/embedded/find-binaries.ts';

const PROGRAM = process.platform === 'win32' ? 'pg_restore.exe' : 'pg_restore';

/** The dump in a container. */
const PLACE = '/tmp/pgsweep-dump';
const COPY_LIMIT_MS = 600_000;

type Server = Pick<StartedPostgres, 'version' | 'container' | 'adminUrl'>;

/** A pg_restore of this machine, and its version. */
interface Found {
  readonly program: string;
  readonly version: string;
}

/**
 * Finds a pg_restore for a server: that of its own version on this machine first, else the nearest that can read the dump,
 * else that of the server's container. Its PgsweepError `dataset` says what would help.
 */
export function findRestoreFor(server: Server): FindRestore {
  return async (dump, { minor }) => {
    const found = await programsHere();
    const able = found.filter(({ version }) => readsMinor(version) >= minor);
    const [best] = nearestFirst(able, majorOf(server.version));
    if (best !== undefined)
      return { program: [best.program], version: best.version, place: dump, close: async () => {} };
    if (server.container !== undefined && readsMinor(server.version) >= minor)
      return restoreInContainer(server.container, server, dump);
    throw noRestore(dump, minor, found, server);
  };
}

/** Beside the servers of this machine, and on the PATH, where clients may be without a server. npm's have none. */
async function programsHere(): Promise<Found[]> {
  const ofServers = [...everyPostgres()].flatMap(({ binaries, version }) => {
    const program = join(binaries.folder, PROGRAM);
    return existsSync(program) ? [{ program, version }] : [];
  });
  const onPath = await versionOf(PROGRAM);
  return onPath === null ? ofServers : [...ofServers, { program: PROGRAM, version: onPath }];
}

async function versionOf(program: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 10_000 });
    return /\(PostgreSQL\) ([\d.]+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** The newest format that a version reads: 1.14 since Postgres 12, 1.15 in 16, 1.16 since 17 (pg_backup_archiver.h). */
export function readsMinor(version: string): number {
  const major = majorOf(version);
  return major >= 17 ? 16 : major === 16 ? 15 : 14;
}

/** Which Postgres first wrote a format. */
function writtenBy(minor: number): string {
  return minor <= 14 ? '12' : minor === 15 ? '16' : '17';
}

/** The server's own version, then younger ones, which write what it may not know, then older ones; the nearest first. */
export function nearestFirst<T extends { readonly version: string }>(programs: readonly T[], major: number): T[] {
  const distance = ({ version }: T): number => {
    const own = majorOf(version);
    return own >= major ? own - major : 1000 + major - own;
  };
  return [...programs].sort((a, b) => distance(a) - distance(b));
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

/**
 * The pg_restore of a server's container, and a copy of the dump in there. Its own user may connect without a password. Throws Docker's
 * errors.
 */
export async function restoreInContainer(
  container: string,
  { version, adminUrl }: Pick<StartedPostgres, 'version' | 'adminUrl'>,
  dump: string,
): Promise<RestoreTool> {
  // On this machine's network it has another port than usual.
  const [row] = await query(adminUrl(), "SELECT current_setting('port') AS port, current_user AS name");
  await docker(['cp', dump, `${container}:${PLACE}`], COPY_LIMIT_MS);
  return {
    program: ['docker', 'exec', container, 'pg_restore', `--username=${row?.name}`, `--port=${row?.port}`],
    version,
    place: PLACE,
    env: () => ({}),
    close: async () => void (await docker(['exec', '--user=0', container, 'rm', '-rf', PLACE]).catch(() => {})),
  };
}

function noRestore(dump: string, minor: number, found: readonly Found[], server: Server): PgsweepError {
  const needed = writtenBy(minor);
  const hint = `Install the client programs of Postgres ${needed} or later, dump it as SQL (pg_dump without -F), or use dataset: { command: ... }.`;
  if (found.length === 0) {
    const why = 'there is no pg_restore on this machine (the Postgres of npm lacks it)';
    return new PgsweepError('dataset', `${dump} is an archive of pg_dump, and ${why}`, { hint });
  }
  const versions = [...new Set(found.map(({ version }) => version))].join(', ');
  const message = `${dump} was written by pg_dump ${needed} or later (format 1.${minor}), which pg_restore ${versions} cannot read`;
  const older = readsMinor(server.version) < minor ? `, and the server is Postgres ${server.version}` : '';
  return new PgsweepError('dataset', `${message}${older}`, { hint });
}
