import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { NEW } from '../files/atomic-file.ts';
import { asDiskError } from '../files/disk.ts';
import { fileMode } from '../files/own-files.ts';
import { jsonOf } from '../json-path.ts';
import { runs } from './ledger.ts';
import { bootId } from './read-proc.ts';
import { readProcess } from './reaper-processes.mjs';

/** The process that works in a folder now. */
export interface Holder {
  readonly pid: number;
  /** The lock: a file in the folder. */
  readonly file: string;
  /** True if it runs in another container or on another machine: nobody here can see whether it still does. */
  readonly isElsewhere: boolean;
}

interface Lock {
  readonly pid: number;
  readonly startTime: string | undefined;
  /** Where this number names that process: a machine, its boot, and a container. */
  readonly place: string;
}

const LOCK = 'running.json';
/** Holders touch their locks this often, to be seen from elsewhere. */
const BEAT_MS = 3000;
/** A holder elsewhere that has not touched its lock for so long is gone. */
const GONE_MS = 15_000;
const LOOK_MS = 250;

/**
 * The process that works in a folder; null where there is none, or it was killed. The lock is in the folder, since two
 * processes that share it may share nothing else: they may be of two users, or in two containers. After a holder elsewhere
 * this waits, for some seconds, until it is seen to work or counts as gone.
 */
export function holderOf(folder: string): Holder | null {
  const file = join(folder, LOCK);
  if (touchedAt(file) === null) return null;
  const lock = readLock(file);
  const isElsewhere = lock?.place !== placeOf();
  const isHeld = lock === null || isElsewhere ? isTouched(file) : runs(lock);
  return isHeld ? { pid: lock?.pid ?? 0, file, isElsewhere } : null;
}

/** True once its holder touches a lock; false where that does not happen until the holder counts as gone. */
function isTouched(file: string): boolean {
  const before = touchedAt(file);
  for (;;) {
    const at = touchedAt(file);
    if (at === null) return false;
    if (at !== before) return true;
    if (Math.abs(Date.now() - at) >= GONE_MS) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

/**
 * Takes a folder for this process, also from a holder that was killed. Returns what gives it back; null where another process
 * was faster. Throws PgsweepError, as `asDiskError` makes it.
 */
export function lockFolder(folder: string): (() => void) | null {
  const file = join(folder, LOCK);
  const left = textOf(file);
  if (holderOf(folder) !== null) return null;
  const { pid } = process;
  const text = `${JSON.stringify({ pid, startTime: readProcess(pid)?.startTime, place: placeOf() } satisfies Lock)}\n`;
  try {
    if (touchedAt(file) !== null && !removeLeft(file, left)) return null;
    writeFileSync(file, text, { flag: NEW, mode: fileMode() });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw asDiskError(cause, file);
  }
  const beat = setInterval(() => touch(file), BEAT_MS).unref();
  return () => {
    clearInterval(beat);
    if (textOf(file) === text) rmSync(file, { force: true });
  };
}

/**
 * Removes the lock of a holder that is gone. False where the file is another's by now, as of two that start at the same moment: it is
 * looked at under a name that nobody else removes, and put back.
 */
function removeLeft(file: string, left: string): boolean {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(file, aside);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw cause;
  }
  const isLeft = textOf(aside) === left;
  if (isLeft) rmSync(aside, { force: true });
  else renameSync(aside, file);
  return isLeft;
}

function touch(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // It was removed by hand.
  }
}

/** Null where there is no such file, or its folder cannot be entered. */
function touchedAt(file: string): number | null {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return null;
  }
}

/** Null where the holder is writing it at this moment, or it is another's file. */
function readLock(file: string): Lock | null {
  const lock = jsonOf(textOf(file)) as Partial<Lock> | null | undefined;
  return Number.isSafeInteger(lock?.pid) && typeof lock?.place === 'string' ? (lock as Lock) : null;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function placeOf(): string {
  return [hostname(), bootId(), pidNamespace()].join(' ');
}

/** Containers have their own numbers of processes; empty where the system does not show which these are. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
