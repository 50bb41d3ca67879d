import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Plain JavaScript, since the guard runs without tsx.
const FOLDER = '/dev/shm';
const PREFIX = 'PostgreSQL.';
const WORD_BYTES = 4;

/**
 * Removes what a Postgres server that was killed has left of shared memory. Its control file lists the others by their
 * numbers, as words of 32 bits: what stands there and has a file is the server's own. `isLate`: it was killed so long ago
 * that its pid may be another's by now. Returns the names of what was removed.
 */
export function removeSharedMemory({ postmaster, files, segments }, isLate = false) {
  const found = files.filter((file) => file.startsWith(join(FOLDER, PREFIX)));
  const listed = found.flatMap(listedIn);
  const own = [...new Set([...found, ...listed])].filter((file) => removeFile(file));
  // A postmaster that was killed a moment ago has also made those that came after it was last looked at.
  const made = isLate ? [] : rowsOf(postmaster).flatMap((row) => (row[6] === 0 ? [row[1]] : []));
  const removed = [...new Set([...segments, ...made])].filter(
    (id) => creatorOf(id) === postmaster && removeSegment(id),
  );
  return [...own, ...removed.map((id) => `shared memory ${id}`)];
}

function listedIn(control) {
  let bytes;
  try {
    bytes = readFileSync(control);
  } catch {
    return [];
  }
  const names = new Set(readdirSync(FOLDER).filter((name) => name.startsWith(PREFIX)));
  const own = new Set();
  for (let at = 0; at + WORD_BYTES <= bytes.length; at += WORD_BYTES) {
    const name = `${PREFIX}${bytes.readUInt32LE(at)}`;
    if (name !== `${PREFIX}0` && names.has(name)) own.add(join(FOLDER, name));
  }
  return [...own];
}

function removeFile(file) {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

/** The process that made a System V segment, as the system reports it; undefined where it is gone. */
function creatorOf(id) {
  return segmentRows().find((row) => row[1] === id)?.[4];
}

function segmentRows() {
  try {
    const [, ...rows] = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n');
    return rows.map((row) => row.trim().split(/\s+/).map(Number));
  } catch {
    return [];
  }
}

function removeSegment(id) {
  return spawnSync('ipcrm', ['-m', String(id)], { stdio: 'ignore' }).status === 0;
}

/** The shared memory of a postmaster that runs: the files that it maps, and the segments that it has made. */
export function sharedMemoryOf(postmaster) {
  const segments = rowsOf(postmaster).map((row) => row[1]);
  const files = new Set();
  for (const [file] of mapsOf(postmaster).matchAll(/\/dev\/shm\/PostgreSQL\.\d+/g)) files.add(file);
  return { files: [...files], segments };
}

/** key shmid perms size cpid lpid nattch ... */
function rowsOf(postmaster) {
  return segmentRows().filter((row) => row[4] === postmaster);
}

function mapsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8');
  } catch {
    return '';
  }
}
