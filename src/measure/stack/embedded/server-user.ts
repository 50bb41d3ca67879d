import { readFile } from 'node:fs/promises';
import { PgsweepError } from '../../../base/errors.ts';

/** The account that the server runs under; undefined for this process's own. */
export interface ServerUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Postgres refuses to run as root, so root runs it as `postgres` where that user exists, else as `nobody`.
 * Anyone else runs it as themselves (undefined).
 */
export async function findServerUser(
  ownUid = process.getuid?.(),
  passwd = '/etc/passwd',
): Promise<ServerUser | undefined> {
  if (ownUid !== 0) return undefined;
  const users = parsePasswd(await readFile(passwd, 'utf8'));
  const user = users.get('postgres') ?? users.get('nobody');
  if (user) return user;
  throw new PgsweepError(
    'stack',
    'Postgres does not run as root, and there is no user postgres or nobody to run it as',
    {
      hint: 'Run pgsweep as another user, or add one: useradd --system postgres',
    },
  );
}

function parsePasswd(text: string): Map<string, ServerUser> {
  const users = new Map<string, ServerUser>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid && Number(uid) > 0) users.set(name, { name, uid: Number(uid), gid: Number(gid) });
  }
  return users;
}
