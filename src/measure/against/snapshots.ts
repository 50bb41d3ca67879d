import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';
import { runs } from '../../base/process/ledger.ts';
import { readProcess } from '../../base/process/reaper-processes.mjs';
import { ownCache, userCache } from '../../base/user-cache.mjs';
import { discard, layOutOnce, type SetUpContext } from '../stack/embedded/user-cache.ts';

/** Folder of the user's cache. */
const KIND = 'against';
const ABOUT = 'about.json';
const TREE = 'tree';
const BUILDING = /^\.building-(\d+)-/;
const OF_RUN = 'run-';
const MOST_BYTES = 5 * 2 ** 30;

/** A kept snapshot. */
export interface Snapshot {
  readonly folder: string;
  /** For people: `main (a1b2c3d) of items`. */
  readonly name: string;
  readonly bytes: number;
  readonly usedAtMs: number;
  /** True while a run that lives uses it. */
  readonly isUsed: boolean;
  /** Folders of runs that have used it, also of those that have ended since. */
  readonly runs: readonly string[];
}

/** The folder of all snapshots. Throws PgsweepError `stack` where it cannot be made. */
export function snapshotCache(): string {
  const cache = ownCache(process.env, KIND);
  if (cache !== null) return cache;
  throw new PgsweepError('stack', `cannot write to the cache folder ${userCache(process.env, KIND)}`, {
    hint: 'Point XDG_CACHE_HOME to a folder that can be written.',
  });
}

/** Where the files of the snapshot with this key are or will be. */
export function treeOf(key: string): string {
  return join(userCache(process.env, KIND), key, TREE);
}

/** Takes a snapshot from the cache, or lays it out there. Nothing is left where `layOut` throws. */
export async function takeSnapshot(
  tree: string,
  name: string,
  context: Pick<SetUpContext, 'reaper'>,
  layOut: (tree: string) => Promise<void>,
): Promise<void> {
  const home = dirname(tree);
  if (!existsSync(home)) {
    await layOutOnce(home, context, async (building) => {
      const half = join(building, TREE);
      await mkdir(half);
      await layOut(half);
      writeFileSync(join(building, ABOUT), JSON.stringify({ name, bytes: sizeOf(half) }));
      return building;
    });
  }
  const now = new Date();
  utimesSync(join(home, ABOUT), now, now);
  markUsed(tree);
}

/** Keeps a snapshot from being removed while this process runs. Throws what the file system throws where it is gone. */
export function markUsed(tree: string): void {
  writeFileSync(join(dirname(tree), `used-${process.pid}-${readProcess(process.pid)?.startTime ?? ''}`), '');
}

/** Records that the run in a folder uses a snapshot. Throws what the file system throws where it is gone. */
export function markRun(tree: string, run: string): void {
  const name = createHash('sha256').update(run).digest('hex').slice(0, 16);
  writeFileSync(join(dirname(tree), `${OF_RUN}${name}`), run);
}

/** All snapshots that are kept. */
export function keptSnapshots(): Snapshot[] {
  return inCache((name) => !name.startsWith('.')).flatMap((folder) => {
    const about = statSync(join(folder, ABOUT), { throwIfNoEntry: false });
    if (about === undefined) return [];
    const { name, bytes } = jsonOf(readFileSync(join(folder, ABOUT), 'utf8')) as Pick<Snapshot, 'name' | 'bytes'>;
    const marks = readdirSync(folder);
    const ofRuns = marks.filter((mark) => mark.startsWith(OF_RUN));
    return [
      {
        folder,
        name,
        bytes,
        usedAtMs: about.mtimeMs,
        isUsed: marks.some(isOfLiving),
        runs: ofRuns.map((mark) => readFileSync(join(folder, mark), 'utf8')),
      },
    ];
  });
}

/** Removes the snapshots that were used least recently, as far as more than 5 GB are kept. */
export async function trimSnapshots(mostBytes = MOST_BYTES): Promise<void> {
  let left = mostBytes;
  for (const { folder, bytes, isUsed } of keptSnapshots().sort((a, b) => b.usedAtMs - a.usedAtMs)) {
    left -= bytes;
    if (left < 0 && !isUsed) await discard(folder);
  }
}

/** Removes what killed runs left half done, and returns the folders. */
export async function removeHalfDone(): Promise<string[]> {
  const left = inCache((name) => {
    const pid = Number(BUILDING.exec(name)?.[1]);
    return pid > 0 && !runs({ pid, startTime: undefined });
  });
  for (const folder of left) await rm(folder, { recursive: true, force: true });
  return left;
}

function isOfLiving(name: string): boolean {
  const [, pid, startTime] = /^used-(\d+)-(.*)$/.exec(name) ?? [];
  return pid !== undefined && runs({ pid: Number(pid), startTime: startTime || undefined });
}

/** Folders of the cache whose names are these. */
function inCache(isWanted: (name: string) => boolean): string[] {
  const cache = userCache(process.env, KIND);
  if (!existsSync(cache)) return [];
  return readdirSync(cache).flatMap((name) => (isWanted(name) ? [join(cache, name)] : []));
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}
