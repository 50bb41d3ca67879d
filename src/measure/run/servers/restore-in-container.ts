import type { RestoreTool } from '../../dataset/restore-dump.ts';
import type { StartedPostgres } from '../../stack/common/postgres.ts';
import { query } from '../../stack/common/query.ts';
import { docker } from '../../stack/docker/engine.ts';

const PLACE = '/tmp/pgsweep-dump';
const COPY_LIMIT_MS = 600_000;

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
