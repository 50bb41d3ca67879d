import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PgsweepError } from '../../../base/errors.ts';
import { spawnWatched, type WatchedProcess } from '../../../base/process/child-process.ts';
import type { Reaper } from '../../../base/process/reaper.ts';
import { formatDuration } from '../../../base/units.ts';
import { requireDiskSpace } from '../common/disk-space.ts';

/** The user that sets something up, the listener for progress, and the signal that ends it early. */
export interface SetUpContext {
  readonly reaper: Reaper;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Something that is fetched once for all runs of a user. */
export interface CacheEntry {
  /** For people: `OpenSearch`, `2.19.6`. */
  readonly software: string;
  readonly version: string;
  /** The folder of its kind, as `userCache` names it. */
  readonly cache: string;
  /** Its folder in there. */
  readonly name: string;
  /** For people: `from Maven Central`. */
  readonly from: string;
  /** For people: `about 150 MB`. */
  readonly size: string;
  readonly spaceBytes: number;
  /** Lays it out below the empty folder given, and returns the folder of what is complete. */
  readonly layOut: (building: string) => Promise<string>;
}

const tellEveryMs = 10_000;
/** Nobody sets up for this long: what is older was left by a machine that went down. */
const abandonedMs = 3_600_000;

/**
 * The folder of an entry in the user's cache. Where it is not there it is laid out, once. Throws PgsweepError('stack') where
 * the cache cannot be written or has no space, and whatever `layOut` throws; nothing is then left.
 */
export async function setUpInCache(entry: CacheEntry, context: SetUpContext): Promise<string> {
  const { software, version, cache, name, from, size, spaceBytes, layOut } = entry;
  const home = join(cache, name);
  if (existsSync(home)) return home;
  const startMs = performance.now();
  await layOutOnce(home, context, async (building) => {
    requireDiskSpace(cache, spaceBytes, `set up ${software}`, 'Free some, or point XDG_CACHE_HOME to a larger disk.');
    context.onProgress(`fetching ${software} ${version} ${from} into ${home} (once, ${size})`);
    return layOut(building);
  });
  context.onProgress(`${software} ${version} is set up (${formatDuration(performance.now() - startMs)})`);
  return home;
}

/**
 * Lays out a folder of the cache in another beside it, whose complete part is renamed, so that a set-up that is killed, or two at
 * once, do no harm. `layOut` returns that part. Throws PgsweepError('stack') where the cache cannot be written, and whatever `layOut`
 * throws; nothing is then left.
 */
export async function layOutOnce(
  home: string,
  { reaper }: Pick<SetUpContext, 'reaper'>,
  layOut: (building: string) => Promise<string>,
): Promise<void> {
  const building = await makeBuildFolder(dirname(home), basename(home));
  reaper.watchFolder(building);
  try {
    await moveInto(home, await layOut(building));
  } catch (error) {
    // Another pgsweep that set it up at the same time has been quicker.
    if (!existsSync(home)) throw error;
  } finally {
    await rm(building, { recursive: true, force: true });
    reaper.forgetFolder(building);
  }
}

/**
 * Runs a program that fetches or installs something: tells every 10 s that it is still at it (`fetching OpenSearch`), and is ended
 * by the signal. Returns null where it did well, else how it ended and its output. Rejects as `spawnWatched` does.
 */
export async function runFetcher(
  doing: string,
  options: { command: Parameters<typeof spawnWatched>[0]['command']; cwd?: string },
  { reaper, env, onProgress, signal }: SetUpContext,
): Promise<{ how: string; output: readonly string[] } | null> {
  const startMs = performance.now();
  const fetcher = await spawnWatched({ ...options, reaper, env });
  const tell = setInterval(
    () => onProgress(`still ${doing} (${formatDuration(performance.now() - startMs)})`),
    tellEveryMs,
  );
  const { code, signal: by } = await endedOr(signal, fetcher);
  clearInterval(tell);
  signal?.throwIfAborted();
  return code === 0 ? null : { how: by ?? `exit code ${code}`, output: fetcher.tail() };
}

async function endedOr(signal: AbortSignal | undefined, { exited, stop }: WatchedProcess) {
  // npm would first finish what it is at; what is half done is thrown away anyhow.
  const end = (): void => void stop({ graceMs: 1000 });
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  const exit = await exited;
  signal?.removeEventListener('abort', end);
  return exit;
}

/**
 * Makes an empty folder in the cache, which is to be moved to its place there. Its name has this process. Throws
 * PgsweepError('stack').
 */
export async function makeBuildFolder(cache: string, name: string): Promise<string> {
  try {
    await mkdir(cache, { recursive: true });
    await removeAbandoned(cache);
    return await mkdtemp(join(cache, `.building-${process.pid}-${name}-`));
  } catch (cause) {
    throw new PgsweepError('stack', `cannot write to the cache folder ${cache}: ${messageOf(cause)}`, {
      hint: 'Point XDG_CACHE_HOME to a folder that can be written.',
      cause,
    });
  }
}

/** Removes a folder of a cache that another bench may be copying: that has to fail, and not to miss files. */
export function discard(home: string): Promise<void> {
  return beside(home, (folder) => rename(home, join(folder, 'data')));
}

/** Does something in a folder beside that one, which is gone afterwards. What goes wrong leaves all as it was. */
export async function beside(home: string, act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await makeBuildFolder(dirname(home), basename(home)).catch(() => null);
  if (folder === null) return;
  await act(folder).catch(() => {});
  await rm(folder, { recursive: true, force: true });
}

async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('.building-')) continue;
    const folder = join(cache, name);
    // Gone meanwhile: its own set-up has removed it.
    const made = await stat(folder).catch(() => null);
    if (made && Date.now() - made.mtimeMs > abandonedMs) await rm(folder, { recursive: true, force: true });
  }
}

async function moveInto(home: string, laidOut: string): Promise<void> {
  try {
    await rename(laidOut, home);
  } catch (cause) {
    throw new PgsweepError('stack', `cannot move what was set up to ${home}: ${messageOf(cause)}`, { cause });
  }
}
