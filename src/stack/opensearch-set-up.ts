import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnWatched, type WatchedProcess } from '../base/child-process.ts';
import { messageOf, PgsweepError } from '../base/errors.ts';
import type { Reaper } from '../base/reaper.ts';
import { formatDuration } from '../base/units.ts';
import { requireDiskSpace } from './disk-space.ts';
import { searchOffHint } from './find-java.ts';

export interface SetUpOptions {
  readonly version: string;
  readonly reaper: Reaper;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

const pom = fileURLToPath(new URL('../../docker/opensearch/pom.xml', import.meta.url));
/** Measured: 64 MB laid out (2.19.6) and 80 MB in Maven's own repository; 3.x has 100 MB more. */
const spaceBytes = 400 * 2 ** 20;
const tellEveryMs = 10_000;
/** Nobody sets up for so long: what is older was left by a machine that went down. */
const abandonedMs = 3_600_000;

/** The folder of a release in the user's cache, if it is there; null where Maven has yet to fetch it. */
export function findSetUp(version: string, env: NodeJS.ProcessEnv): string | null {
  const home = join(cacheFolder(env), version);
  return existsSync(home) ? home : null;
}

/**
 * The folder of an OpenSearch release in the user's cache. Where it is not there, Maven fetches and lays it out, once:
 * in a folder beside it that is renamed when complete, so that a set-up that is killed, or two at once, do no harm.
 * Throws PgsweepError('stack') saying what is missing.
 */
export async function setUpOpenSearch(options: SetUpOptions): Promise<string> {
  const { version, reaper, env, onProgress } = options;
  const found = findSetUp(version, env);
  if (found !== null) return found;
  const cache = cacheFolder(env);
  const home = join(cache, version);
  const startMs = performance.now();
  const building = await makeBuildFolder(cache, version);
  reaper.watchFolder(building);
  try {
    requireDiskSpace(cache, spaceBytes, 'set up OpenSearch', 'Free some, or point XDG_CACHE_HOME to a larger disk.');
    onProgress(`fetching OpenSearch ${version} from Maven Central into ${home} (once, about 150 MB)`);
    await layOut(building, options);
    await moveInto(home, join(building, `opensearch-${version}`));
    onProgress(`OpenSearch ${version} is set up (${formatDuration(performance.now() - startMs)})`);
  } catch (error) {
    // Another pgsweep that set it up at the same time has been quicker.
    if (!existsSync(home)) throw error;
  } finally {
    await rm(building, { recursive: true, force: true });
    reaper.forgetFolder(building);
  }
  return home;
}

/** `$XDG_CACHE_HOME/pgsweep/opensearch`; the specification has it that a relative XDG_CACHE_HOME does not count. */
function cacheFolder({ XDG_CACHE_HOME }: NodeJS.ProcessEnv): string {
  const base = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
  return join(base, 'pgsweep', 'opensearch');
}

async function makeBuildFolder(cache: string, version: string): Promise<string> {
  try {
    await mkdir(cache, { recursive: true });
    await removeAbandoned(cache);
    return await mkdtemp(join(cache, `.building-${version}-`));
  } catch (cause) {
    throw new PgsweepError('stack', `cannot write to the cache folder ${cache}: ${messageOf(cause)}`, {
      hint: 'Point XDG_CACHE_HOME to a folder that can be written.',
      cause,
    });
  }
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
    throw new PgsweepError('stack', `cannot move the new OpenSearch to ${home}: ${messageOf(cause)}`, { cause });
  }
}

async function layOut(folder: string, options: SetUpOptions): Promise<void> {
  const { version, onProgress, signal } = options;
  const startMs = performance.now();
  const maven = await startMaven(folder, options);
  const tell = setInterval(
    () => onProgress(`still fetching OpenSearch ${version} (${formatDuration(performance.now() - startMs)})`),
    tellEveryMs,
  );
  const stop = (): void => void maven.stop();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const { code, signal: by } = await maven.exited;
  clearInterval(tell);
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
  if (code !== 0) throw cannotFetch(version, by ?? `exit code ${code}`, maven.tail());
}

async function startMaven(folder: string, { version, reaper, env }: SetUpOptions): Promise<WatchedProcess> {
  // The zip of 3.x holds every module already.
  const phase = version.startsWith('2.') ? 'process-resources' : 'initialize';
  const settings = [`-Dlayout.dir=${folder}`, `-Dopensearch.version=${version}`, '-Dstyle.color=never'];
  try {
    return await spawnWatched({ command: ['mvn', '-B', '-q', '-f', pom, ...settings, phase], reaper, env });
  } catch (cause) {
    throw new PgsweepError('stack', `Maven (mvn) fetches OpenSearch, once, and it ${messageOf(cause)}`, {
      hint: `${mavenInstallHint()}. ${searchOffHint}`,
      cause,
    });
  }
}

/** The command that installs Maven. */
export function mavenInstallHint(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'Install it: brew install maven';
  if (platform === 'win32') return 'Install it: winget install Apache.Maven';
  return "Install it: apt-get install maven (or your system's own)";
}

function cannotFetch(version: string, how: string, output: readonly string[]): PgsweepError {
  const errors = output.filter((line) => line.startsWith('[ERROR]') && line.length > '[ERROR] '.length);
  const shown = (errors.length > 0 ? errors : output).slice(0, 5).join('\n');
  const full = output.some((line) => line.includes('No space left on device'));
  return new PgsweepError('stack', `OpenSearch ${version} cannot be fetched: mvn ended with ${how}.\n${shown}`, {
    hint: full
      ? 'The disk is full: free some, or point XDG_CACHE_HOME to a larger one.'
      : `It comes from Maven Central: is this machine online? A proxy or mirror goes into ~/.m2/settings.xml. ${searchOffHint}`,
  });
}
