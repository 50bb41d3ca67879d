import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { runningProcesses } from './processes.ts';

/** Linux has files in memory there. */
const MEMORY = '/dev/shm';
const PREFIX = 'pgsweep-tests-';
/** Clusters of four test files at once take a fraction of it. */
const NEEDED_BYTES = 6e9;

/** Benches measure with a disk, and containers and browsers have places for files that are not asked about here. */
const PROJECTS = ['apart', 'together', 'sweeps'];

/** Vitest calls this for each of its projects, in one process. */
const ofAllProjects = globalThis as { pgsweepInMemory?: string };

/**
 * Vitest's global setup: temporary files of tests, clusters of Postgres above all, lie in memory where the machine has
 * enough of it and TMPDIR is not set. A disk with ext4 looks for a place for each new file among those that were deleted in
 * the last seconds. Beside other tests that takes up to a second of CPU for the thousand files of a cluster, and in memory a tenth of it.
 */
export default function setup({ name }: TestProject): void {
  if (!PROJECTS.includes(name) || ofAllProjects.pgsweepInMemory !== undefined || process.env.TMPDIR || !hasRoom())
    return;
  removeLeft();
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Postgres, which does not run as root, has to get through.
  chmodSync(folder, 0o1777);
  ofAllProjects.pgsweepInMemory = folder;
  process.env.TMPDIR = folder;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return process.platform === 'linux' && Math.min(bavail * bsize, freemem()) > NEEDED_BYTES;
  } catch {
    return false;
  }
}

/** Removes what runs of tests left that were killed. */
function removeLeft(): void {
  const running = new Set(runningProcesses().map(({ pid }) => pid));
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX) || running.has(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
