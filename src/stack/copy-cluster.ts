import { constants } from 'node:fs';
import { appendFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PgsweepError } from '../base/errors.ts';
import type { ServerContext } from './init-cluster.ts';
import type { SettingValue } from './postgres.ts';
import { giveTo } from './server-folder.ts';
import { settingsFile } from './settings.ts';

/**
 * Copies the data folder of a server that is down to `name` beside it, with some settings over its own, and returns the
 * copy. A copy has the same rows in the same places, which loading the data set again would not give. Throws
 * PgsweepError('stack').
 */
export async function copyCluster(
  { folder, user }: ServerContext,
  data: string,
  name: string,
  settings: Readonly<Record<string, SettingValue>>,
): Promise<string> {
  const copy = join(folder, name);
  try {
    await cp(data, copy, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    await appendFile(join(copy, 'postgresql.conf'), settingsFile(settings));
    await giveTo(user, copy);
    return copy;
  } catch (cause) {
    throw new PgsweepError('stack', `cannot copy the data of Postgres to ${copy}: ${messageOf(cause)}`, {
      hint: 'Each variant with settings of the server has a copy. Set PGSWEEP_TMP to a folder with room for the data.',
      cause,
    });
  }
}
