// Plain JavaScript, since it is asked for the folder of what tsx compiles, before anything is compiled.
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * `$XDG_CACHE_HOME/pgsweep/<kind>`; the specification has it that a relative XDG_CACHE_HOME does not count. Nor does a
 * relative or empty HOME: the cache would be another in each folder.
 */
export function userCache({ XDG_CACHE_HOME }, kind) {
  const base = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(home(), '.cache');
  return join(base, 'pgsweep', kind);
}

function home() {
  return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
}

/**
 * That folder, made for the user alone; null where it cannot be, or where it, or the folder that it is in, is somebody
 * else's or a link: then nothing in it can be trusted.
 */
export function ownCache(env, kind) {
  try {
    const folder = userCache(env, kind);
    const parent = join(folder, '..');
    // What servers run as other users from there stays readable to them.
    mkdirSync(parent, { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(parent, 0o022) || !isOwn(folder, 0o000)) return null;
    chmodSync(folder, 0o700);
    return folder;
  } catch {
    return null;
  }
}

/** True if it is a folder of this user, no link, in which nobody else has these rights. */
export function isOwn(folder, rights) {
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory()) return false;
  // Windows gives every user their own cache, and knows neither.
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & rights) === 0);
}
