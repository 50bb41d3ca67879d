import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import type { SettingValue } from '../common/postgres.ts';
import { settingsFile } from '../common/settings.ts';
import { copyFolder } from './copy-folder.ts';
import type { ServerContext } from './init-cluster.ts';

/**
 * Copies the data folder of a server that is down to `name` beside it, with some settings over its own, and returns the
 * copy. A copy has the same rows in the same places, which loading the data set again would not give. Throws
 * PgsweepError('stack').
 */
export async function copyCluster(
  context: ServerContext,
  data: string,
  name: string,
  settings: Readonly<Record<string, SettingValue>>,
): Promise<string> {
  const copy = join(context.folder, name);
  try {
    const { user, reaper } = context;
    await copyFolder(data, copy, { user, env: { ...process.env, ...reaper.mark } });
    await appendFile(join(copy, 'postgresql.conf'), settingsFile(settings));
    return copy;
  } catch (cause) {
    throw new PgsweepError('stack', `cannot copy the data of Postgres to ${copy}: ${messageOf(cause)}`, {
      hint: 'Each variant with settings of the server has a copy. Set PGSWEEP_TMP to a folder with room for the data.',
      cause,
    });
  }
}
