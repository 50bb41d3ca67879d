import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PgsweepError } from '../../base/errors.ts';
import { jsonOf } from '../../base/json-path.ts';
import { runs } from '../../base/process/ledger.ts';
import { readProcess } from '../../base/process/reaper-processes.mjs';
import { ownCache, userCache } from '../../base/user-cache.mjs';
import type { SetUpContext } from '../stack/embedded/user-cache.ts';

/** Folder of the user's cache. */
const KIND = 'against';
const ABOUT = 'about.json';
const TREE = 'tree';
const BUILDING = /^\.building-(\d+)-/;
const MOST_BYTES = 5 * 2 ** 30;

/** A kept snapshot. */
export interface Snapshot {
  readonly folder: string;
  /** For people: `main a1b2c3d of items`. */
  readonly name: string;
  readonly bytes: number;
  readonly usedAtMs: number;
  /** True while a run that lives uses it. */
  readonly isUsed: boolean;
}

/** The folder of all snapshots. Throws PgsweepError `stack` where it cannot be made. */
export function snapshotCache(): string {
  const cache = ownCache(process.env, KIND);
  if (cache !== null) return cache;
  throw new PgsweepError('stack', `cannot write to the cache folder ${userCache(process.env, KIND)}`, {
    hint: 'Point XDG_CACHE_HOME to a folder that can be written.',
  });
}

/** Makes an empty folder there, which is known as half done if this process is killed. Throws as `snapshotCache`. */
export function buildingFolder(kind: string): string {
  return mkdtempSync(join(snapshotCache(), `.building-${process.pid}-${kind}-`));
}

/** Where the snapshot of this key is or will be. */
export function treeOf(cache: string, key: string): string {
  return join(cache, key, TREE);
}

/**
 * Takes a snapshot from the cache, or lays it out below an empty folder that is renamed when it is complete. `layOut` returns its
 * key. Nothing is left where it throws.
 */
export async function takeSnapshot(
  cache: string,
  known: string | null,
  name: string,
  { reaper }: Pick<SetUpContext, 'reaper'>,
  layOut: (tree: string) => Promise<string>,
): Promise<string> {
  if (known !== null && existsSync(join(cache, known))) return use(cache, known);
  const building = buildingFolder('tree');
  reaper.watchFolder(building);
  try {
    const tree = join(building, TREE);
    await mkdir(tree);
    const key = await layOut(tree);
    if (!existsSync(join(cache, key))) {
      writeFileSync(join(building, ABOUT), JSON.stringify({ name, bytes: sizeOf(tree) }));
      await rename(building, join(cache, key)).catch((error: unknown) => {
        // Another run that laid it out at the same time has been quicker.
        if (!existsSync(join(cache, key))) throw error;
      });
    }
    return use(cache, key);
  } finally {
    await rm(building, { recursive: true, force: true });
    reaper.forgetFolder(building);
  }
}

/** Marks a snapshot as used by this process, and returns its tree. */
function use(cache: string, key: string): string {
  const now = new Date();
  utimesSync(join(cache, key, ABOUT), now, now);
  markUsed(treeOf(cache, key));
  return treeOf(cache, key);
}

/** Keeps a snapshot from being removed while this process runs. Throws what the file system throws where it is gone. */
export function markUsed(tree: string): void {
  writeFileSync(join(tree, '..', `used-${process.pid}-${readProcess(process.pid)?.startTime ?? ''}`), '');
}

/** All snapshots that are kept. */
export function keptSnapshots(): Snapshot[] {
  const cache = userCache(process.env, KIND);
  const kept = namesIn(cache).filter((name) => !name.startsWith('.'));
  return kept.flatMap((key) => {
    const folder = join(cache, key);
    const about = statSync(join(folder, ABOUT), { throwIfNoEntry: false });
    if (about === undefined) return [];
    const { name, bytes } = jsonOf(readFileSync(join(folder, ABOUT), 'utf8')) as Pick<Snapshot, 'name' | 'bytes'>;
    return [{ folder, name, bytes, usedAtMs: about.mtimeMs, isUsed: namesIn(folder).some(isOfLiving) }];
  });
}

/** Removes the snapshots that were used least recently, as far as more than 5 GB are kept. */
export async function trimSnapshots(mostBytes = MOST_BYTES): Promise<void> {
  let left = mostBytes;
  for (const one of keptSnapshots().sort((a, b) => b.usedAtMs - a.usedAtMs)) {
    left -= one.bytes;
    if (left < 0 && !one.isUsed) await removeSnapshot(one);
  }
}

/** Removes a snapshot: under another name first, so that no half of it counts as whole. */
export async function removeSnapshot({ folder }: Pick<Snapshot, 'folder'>): Promise<void> {
  const aside = join(folder, '..', `.building-${process.pid}-${basename(folder)}`);
  await rename(folder, aside);
  await rm(aside, { recursive: true, force: true });
}

/** Removes what killed runs left half done, and returns the folders. */
export async function removeHalfDone(): Promise<string[]> {
  const cache = userCache(process.env, KIND);
  const left = namesIn(cache).filter((name) => {
    const pid = Number(BUILDING.exec(name)?.[1]);
    return pid > 0 && pid !== process.pid && readProcess(pid) === null;
  });
  for (const name of left) await rm(join(cache, name), { recursive: true, force: true });
  return left.map((name) => join(cache, name));
}

function isOfLiving(name: string): boolean {
  const [, pid, startTime] = /^used-(\d+)-(.*)$/.exec(name) ?? [];
  return pid !== undefined && runs({ pid: Number(pid), startTime: startTime || undefined });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += sizeOf(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
}
