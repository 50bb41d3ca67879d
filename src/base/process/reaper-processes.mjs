import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

// Plain JavaScript, since the reaper runs without tsx: it must start in milliseconds and stay small.
/** True if this system shows its processes under /proc. */
export const hasProc = existsSync('/proc/self/stat');

/** Linux's facts about a process. Null if it has ended, or if this system has no /proc. */
export function readProcess(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The program's name may hold spaces and brackets, so fields are counted from its closing bracket (field 2).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], group: Number(fields[2]), startTime: fields[19] };
}

/** True if a process still runs, or anything in the group that it leads. A zombie does not run. */
export function isRunning({ pid, group }) {
  try {
    process.kill(group ? -pid : pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  // Signal 0 also reaches zombies, which stay for ever where process 1 does not collect them (docker without --init).
  if (!hasProc) return true;
  if (!group) return runs(readProcess(pid));
  return readdirSync('/proc').some((name) => {
    const found = /^\d+$/.test(name) ? readProcess(name) : null;
    return found?.group === pid && runs(found);
  });
}

function runs(found) {
  return found !== null && found.state !== 'Z' && found.state !== 'X';
}

/**
 * True if the pid still names the watched process, by its start time. A leader that ended while its group lives counts as
 * still there: the kernel gives away no pid that is in use as a group.
 */
export function isSameProcess({ pid, startTime }) {
  const found = startTime ? readProcess(pid) : null;
  return found === null || found.startTime === startTime;
}

/**
 * True only if the group is certainly still the watched one. Without its leader, the group may be a new one; without a start
 * time, any.
 */
export function isCertainlySame({ pid, startTime }) {
  return startTime !== undefined && readProcess(pid)?.startTime === startTime;
}

/**
 * True if a process runs that may be the watched one: this system cannot tell when a process started. Where it can, one
 * without a start time is found by its environment (`markedBy`).
 */
export function maybeSame(target) {
  return !hasProc && isRunning(target);
}

/**
 * The postmaster that may use a folder, by the postmaster.pid in it or in a folder in it; undefined if there is none. A
 * process with that number counts, unless this system shows that it works elsewhere.
 */
export function postmasterIn(folder) {
  return [folder, ...foldersIn(folder)].flatMap((data) => {
    const pid = Number.parseInt(textOf(join(data, 'postmaster.pid')), 10);
    return pid > 0 && isRunning({ pid, group: false }) && maybeWorksIn(pid, data) ? [pid] : [];
  })[0];
}

function foldersIn(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? [join(folder, one.name)] : [],
    );
  } catch {
    return [];
  }
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A postmaster's working directory is its data folder. */
function maybeWorksIn(pid, data) {
  if (!hasProc) return true;
  try {
    const [cwd, own] = [readlinkSync(`/proc/${pid}/cwd`), realpathSync(data)];
    return cwd === own || cwd.startsWith(own + sep);
  } catch (error) {
    return error.code !== 'ENOENT';
  }
}

/** The processes that have this `NAME=value` in their environment, as they were started with it; none without /proc. */
export function markedBy(mark) {
  if (!hasProc) return [];
  const hasMark = (pid) => {
    try {
      return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(`\0${mark}\0`);
    } catch {
      // It has gone, or is another user's.
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && hasMark(name))
    .map(Number);
}

/** Sends a signal to a process, or to the group that it leads. Returns whether anything was there to receive it. */
export function sendSignal({ pid, group }, signal) {
  try {
    process.kill(group ? -pid : pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Identifies a folder, since a later one at its path may have its inode number. Undefined if there is no folder. */
export function identityOf(folder) {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.birthtimeMs}`;
}
